"""The tombstone that a curator made of a master's image, whatever replaced it since."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vitrine.records import Gone, Live

if TYPE_CHECKING:
    from vitrine.identify.journal import Journal


def curator_tombstone(
    journal: "Journal", identifiers: Iterable[str], master_key: str
) -> Gone | None:
    """Return the tombstone that a curator made of the master's last image under any identifier.

    None if there was no such image, or the last one was not withdrawn. Another image, or a
    redirect, may have taken the tombstone's place since.
    """
    last, found = "", None
    for identifier in identifiers:
        published_at, tombstone = _last_image(journal, identifier, master_key)
        if published_at > last:
            last, found = published_at, tombstone
    return found


def _last_image(journal: "Journal", identifier: str, master_key: str) -> tuple[str, Gone | None]:
    """Return when the master's last image there was published, "" if never, and its tombstone."""
    published_at, tombstone, is_own = "", None, False
    for record in journal.history(identifier):
        if isinstance(record, Live):
            is_own = record.master_key == master_key
            if is_own:
                published_at, tombstone = record.published_at, None
        elif is_own and isinstance(record, Gone) and record.by_curator:
            tombstone = record
    return published_at, tombstone
