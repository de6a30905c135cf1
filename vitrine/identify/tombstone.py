"""Which master a tombstone belongs to: a withdrawn image may have to be restored."""

from vitrine.identify.journal import Journal
from vitrine.records import Gone, Record


def tombstone_of_another(journal: Journal, record: Record | None, master_key: str) -> Gone | None:
    """Return `record` if it is the tombstone of another master's image, None otherwise."""
    if not isinstance(record, Gone):
        return None
    image = journal.last_image(record.identifier)
    return None if image and image.master_key == master_key else record
