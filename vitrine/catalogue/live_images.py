"""The images that a record names, as they are shown now."""

from collections.abc import Collection, Mapping

from vitrine.access.rules import CLOSED, read_rule
from vitrine.errors import RecordDamaged
from vitrine.identify.current_names import follow_redirects
from vitrine.identify.public_image import described_image
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.records import Gone, Live, Record, Removed


def live_images(table: ShownIdentifiers, names: Collection[str]) -> dict[str, Live]:
    """Return the published images among these; a previous identifier leads to its image.

    Those that nobody may see are left out.
    """
    return {
        name: described
        for name, image in _published_images(table, names).items()
        if (described := described_image(image))
    }


def missing_images(
    table: ShownIdentifiers, names: Collection[str], shown: Collection[str]
) -> set[str]:
    """Return the names that are not shown since no image of that name is published yet."""
    absent = {*names} - {*shown}
    return absent - _published_images(table, absent).keys()


def check_readable(table: ShownIdentifiers, names: Collection[str]) -> None:
    """Raise RecordDamaged if nobody can say whether one of these images is shown."""
    ends = {end for end, record in follow_redirects(table, names).values() if record is None}
    for record in table.get_many(ends, consistent=True).values() if ends else ():
        if isinstance(record, RecordDamaged):
            raise record


def last_withdrawn(table: ShownIdentifiers, names: Collection[str]) -> Gone | None:
    """Return the newest tombstone if there is nothing but tombstones under these names."""
    records = _follow(table, names)
    tombstones = [one for one in records.values() if isinstance(one, Gone)]
    if not tombstones or len(tombstones) < len(names):
        return None
    return max(tombstones, key=lambda one: one.changed_at)


def images_to_come(table: ShownIdentifiers, names: Collection[str]) -> set[str]:
    """Return the names of which no image was ever published, unless nobody may see it then."""
    records = _follow(table, names)
    return {name for name in names if name not in records or _is_to_come(records[name])}


def _is_to_come(record: Record) -> bool:
    return isinstance(record, Removed) and read_rule(record.access) != CLOSED


def _published_images(table: ShownIdentifiers, names: Collection[str]) -> dict[str, Live]:
    records = _follow(table, names)
    return {name: record for name, record in records.items() if isinstance(record, Live)}


def _follow(table: ShownIdentifiers, names: Collection[str]) -> dict[str, Record]:
    """Return the records at the ends of redirects, by the names that lead there."""
    followed = follow_redirects(table, names)
    return {name: record for name, (_, record) in followed.items() if record}


def with_present_names(
    table: ShownIdentifiers, names: Collection[str], known: Mapping[str, Live]
) -> set[str]:
    """Return these names, and those that their images have now; `known` has some of the images."""
    images = {name: known[name] for name in known.keys() & names}
    images |= live_images(table, {*names} - images.keys())
    return {*names, *(image.identifier for image in images.values())}
