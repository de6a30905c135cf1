"""The images that a record names, as they are shown now."""

from collections.abc import Collection

from vitrine.identify.public_image import described_image
from vitrine.identify.resolve import LONGEST_CHAIN
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Redirect


def live_images(table: IdentifierTable, names: Collection[str]) -> dict[str, Live]:
    """Return the published images among these; a previous identifier leads to its image.

    Those that nobody may see are left out.
    """
    return {
        name: described
        for name, image in _published_images(table, names).items()
        if (described := described_image(image))
    }


def missing_images(
    table: IdentifierTable, names: Collection[str], shown: Collection[str]
) -> set[str]:
    """Return the names that are not shown since no image of that name is published yet."""
    absent = {*names} - {*shown}
    return absent - _published_images(table, absent).keys()


def _published_images(table: IdentifierTable, names: Collection[str]) -> dict[str, Live]:
    found: dict[str, Live] = {}
    leads_to = {name: name for name in names}
    for _ in range(LONGEST_CHAIN):
        records = table.get_many(set(leads_to.values()), consistent=True) if leads_to else {}
        further: dict[str, str] = {}
        for name, current in leads_to.items():
            match records.get(current):
                case Live() as image:
                    found[name] = image
                case Redirect(target=target):
                    further[name] = target
        leads_to = further
    return found
