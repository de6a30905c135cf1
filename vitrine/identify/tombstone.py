"""Whose a tombstone is: an image that was withdrawn may be wanted back."""

from vitrine.identify.journal import Journal
from vitrine.records import Gone, Record


def tombstone_of_another(journal: Journal, there: Record | None, master_key: str) -> Gone | None:
    """`there`, if it is a tombstone, and not that of an image of this master."""
    if not isinstance(there, Gone):
        return None
    image = journal.last_image(there.identifier)
    return None if image and image.master_key == master_key else there
