"""Messages that a worker could not use: what each was about, and how it is tried once more."""

import json
from dataclasses import dataclass

from vitrine.events import ImageRejected
from vitrine.ingest.start.upload_hints import Hint
from vitrine.ports import MessageQueue

UNUSED_EVENT = "event-not-used"
UNREADABLE_EVENT = "event-not-readable"
UNSENT_MAIL = "mail-not-sent"
UNUSED_MESSAGE = "message-not-used"

SENTENCES = {
    UNUSED_EVENT: "The starter failed at this event too often. It can be redriven.",
    UNREADABLE_EVENT: (
        "The message names no master and cannot be redriven; read it, then discard it."
    ),
    UNSENT_MAIL: (
        "Nobody was mailed about this rejection, which `vitrine status` shows, too. Tell whoever "
        "delivered the master, then discard it."
    ),
    UNUSED_MESSAGE: "A worker failed at this message too often. It can be redriven.",
}


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A Lambda with a queue of messages, and the place of those that it failed at too often."""

    name: str
    """As its log group has it, such as `UpdateGallery`."""
    queue: MessageQueue
    dead_letters: MessageQueue
    """What can be sent back into `queue` as it is."""


def hint_in(body: str) -> Hint | None:
    """What the starter failed at; None where the message names no upload."""
    try:
        return Hint.from_body(body)
    except ValueError:
        return None


def useless(body: str) -> str:
    """Code of a message that nobody can do anything with.

    Mails about rejections that SNS did not take lie among the starter's dead letters.
    """
    try:
        mail = json.loads(body)["detail-type"] == ImageRejected.name()
    except (ValueError, TypeError, KeyError):
        mail = False
    return UNSENT_MAIL if mail else UNREADABLE_EVENT
