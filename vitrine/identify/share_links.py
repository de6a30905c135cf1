"""Since when share links to an image hold: they name the revision in which it became shareable.

So a link ends with the restriction under which it was made. An image that is opened, closed,
withdrawn or renamed, and then restricted again, has another number; and a curator may give it one.
"""

from dataclasses import replace

from vitrine.access.rules import CLOSED, OPEN, read_rule
from vitrine.records import Live, Record


def is_shareable(record: Record | None) -> bool:
    """Return True if links may show what not everybody sees: neither an open image nor a closed."""
    return isinstance(record, Live) and read_rule(record.access) not in (OPEN, CLOSED)


def renew_links(entry: Record, current: Record | None) -> Record:
    """Return the entry with the revision from which on links to it hold.

    It takes the place of `current`, whose links go on if both are shareable. An edit that is to end
    them has set a later revision.
    """
    if not is_shareable(entry):
        return _with_links(entry, 0)
    if current is None or not is_shareable(current):
        return _with_links(entry, entry.revision)
    return _with_links(entry, max(current.links_from, entry.links_from))


def _with_links(record: Record, revision: int) -> Record:
    """Return the record with this number, and the versions that are shown until it is."""
    if isinstance(record, Live) and record.before:
        before = _with_links(record.before, revision)
        assert isinstance(before, Live)
        return replace(record, links_from=revision, before=before)
    return replace(record, links_from=revision)
