"""Messages that a worker could not use: what each is about, and what can be done with it."""

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
        "The message names no master and cannot be redriven. Read it, then discard it."
    ),
    UNSENT_MAIL: (
        "The mail about this rejection could not be sent; `vitrine status` also shows the "
        "rejection. Inform those who delivered the master, then discard the message."
    ),
    UNUSED_MESSAGE: "A worker failed at this message too often. It can be redriven.",
}


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A Lambda with its queue, and the queue of the messages that it failed at too often."""

    name: str
    """The name in its log group, such as `UpdateGallery`."""
    queue: MessageQueue
    dead_letters: MessageQueue
    """Messages that can be sent back into `queue` as they are."""


def parse_hint(body: str) -> Hint | None:
    """Return the hint at which the starter failed; None if the message names no upload."""
    try:
        return Hint.from_body(body)
    except ValueError:
        return None


def classify_unusable(body: str) -> str:
    """Return the code of a message of the starter's dead letters that names no upload.

    Rejections whose mail EventBridge could not start are there as well.
    """
    try:
        mail = json.loads(body)["detail-type"] == ImageRejected.name()
    except (ValueError, TypeError, KeyError):
        mail = False
    return UNSENT_MAIL if mail else UNREADABLE_EVENT
