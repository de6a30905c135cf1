"""When an image got its rule of access, so that a repeated change is announced again.

A process may die after it wrote a record and before it sent the event, by which the edge forgets
what it has of the image. What goes through many images leaves those alone that are right already,
so it has to know which of them may be of such a try.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from vitrine.records import Live, Record
from vitrine.store.clock import now, rfc3339

REPEATED_WITHIN = timedelta(minutes=30)
"""Time in which a person gives a command once more. It is short, since each repeat lets the edge
forget the image: so does an update that a timer starts."""
REDELIVERED_WITHIN = timedelta(hours=7)
"""Time in which a queue gives its worker a message once more, until it is a dead letter."""


def note_rule_change(entry: Record, current: Record | None) -> Record:
    """Return the entry that replaces `current` with the moment since which it has its rule.

    And with that of being given back, whatever the identifier becomes.
    """
    if current and not entry.given_back_at:
        entry = replace(entry, given_back_at=current.given_back_at)
    if entry.access != (current.access if current else ""):
        return replace(entry, ruled_at=now())
    return replace(entry, ruled_at=current.ruled_at if current else "")


def may_be_unannounced(record: Record | None, within: timedelta = REPEATED_WITHIN) -> bool:
    """Return True for an image that was public when its rule changed, within this time."""
    if not isinstance(record, Live) or record.published_at > record.ruled_at:
        return False
    return record.ruled_at > rfc3339(datetime.now(UTC) - within)
