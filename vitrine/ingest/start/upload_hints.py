"""Hints, the messages of the uploads queue: each names a master whose state is to be checked.

They are EventBridge's events about the masters bucket, and ours of the same form for redrives. What
an event says beyond the key is not used: the store is asked.
"""

import json
from dataclasses import dataclass, replace

from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest
from vitrine.ingest.start.throttle import Throttle
from vitrine.ports import MessageQueue


@dataclass(frozen=True, kw_only=True)
class Hint:
    """Check this master. `redrives` names a failed execution that is to be made good."""

    master_key: str
    redrives: str = ""
    waits: int = 0
    """Number of times that too many executions were running when its turn came."""

    @classmethod
    def from_body(cls, body: str) -> "Hint":
        """Parse a message. EventBridge does not URL-encode the key. Raises ValueError."""
        try:
            detail = json.loads(body)["detail"]
            return cls(
                master_key=str(detail["object"]["key"]),
                redrives=str(detail.get("redrives", "")),
                waits=int(detail.get("waits", 0)),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"This is not an event about an object: {body[:200]}") from error

    def as_body(self) -> str:
        """Return the message that `from_body` reads."""
        detail = {
            "object": {"key": self.master_key},
            "redrives": self.redrives,
            "waits": self.waits,
        }
        return json.dumps({"source": "vitrine", "detail": detail}, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class StarterServices:
    """The ports of the starter."""

    ingest: IngestServices
    uploads: MessageQueue
    throttle: Throttle


def follow_hint(services: StarterServices, body: str) -> StartResult:
    """Start what the hint is about, or put it back into the queue while too much is running.

    It is sent again, not left there: a message that is received too often counts as unusable.
    Raises ValueError for a message that is not a hint, TransientError.
    """
    hint = Hint.from_body(body)
    if not services.throttle.take_slot():
        postponed = replace(hint, waits=hint.waits + 1)
        services.uploads.send(
            postponed.as_body(), delay_seconds=services.throttle.wait_seconds(services.uploads)
        )
        return StartResult.WAITING
    started = start_ingest(services.ingest, hint.master_key, hint.redrives)
    if started is not StartResult.STARTED:
        services.throttle.give_slot_back()
    return started
