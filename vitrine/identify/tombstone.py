"""The tombstone that a curator made of a master's image, whatever replaced it since."""

from typing import TYPE_CHECKING

from vitrine.records import Gone, Live

if TYPE_CHECKING:
    from vitrine.identify.journal import Journal


def curator_tombstone(journal: "Journal", identifier: str, master_key: str) -> Gone | None:
    """Return the tombstone that a curator made of the master's last image under `identifier`.

    None if there was no such image, or it was not withdrawn. Another image, or a redirect, may
    have taken the tombstone's place since.
    """
    tombstone, is_own = None, False
    for record in journal.history(identifier):
        if isinstance(record, Live):
            is_own = record.master_key == master_key
            tombstone = None if is_own else tombstone
        elif is_own and isinstance(record, Gone) and record.by_curator:
            tombstone = record
    return tombstone
