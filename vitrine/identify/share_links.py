"""Since when share links to an image hold: they name the revision in which it became shareable.

So a link ends with the restriction under which it was made. An image that is opened, closed,
withdrawn or renamed, and then restricted again, has another number; and a curator may give it one.
"""

from dataclasses import replace

from vitrine.access.rules import CLOSED, INHERITED, OPEN, read_rule
from vitrine.records import Live, Record


def is_shareable(record: Record | None) -> bool:
    """Return True if links may show what not everybody sees: neither an open image nor a closed.

    Of a record as it is shown (`vitrine.identify.effective_rule`).
    """
    return isinstance(record, Live) and read_rule(record.access) not in (OPEN, CLOSED)


def renew_links(entry: Record, current: Record | None) -> Record:
    """Return the entry with the revision from which on links to it hold.

    It takes the place of `current`, whose links go on if both may be shareable: an image that
    follows its collections is when these say so, and their table has the moment since when
    (`CollectionRule.since`). An edit that is to end links has set a later revision.
    """
    if not _may_be_shareable(entry):
        return _with_links(entry, 0)
    if not _may_be_shareable(current) or _follows(entry) != _follows(current):
        return _with_links(entry, entry.revision)
    assert current
    return _with_links(entry, max(current.links_from, entry.links_from))


def _may_be_shareable(record: Record | None) -> bool:
    return is_shareable(record) or (isinstance(record, Live) and _follows(record))


def _follows(record: Record | None) -> bool:
    return record is not None and record.access == INHERITED


def _with_links(record: Record, revision: int) -> Record:
    """Return the record with this number, and the versions that are shown until it is."""
    if isinstance(record, Live) and record.before:
        before = _with_links(record.before, revision)
        assert isinstance(before, Live)
        return replace(record, links_from=revision, before=before)
    return replace(record, links_from=revision)
