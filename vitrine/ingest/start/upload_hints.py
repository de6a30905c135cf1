"""Hints: what lies in the uploads queue. Each names a master to look at, and is never believed.

They are EventBridge's events about the masters bucket, and our own of the same form for redrives.
"""

import json
from dataclasses import dataclass, replace

from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import Started, start_ingest
from vitrine.ingest.start.throttle import Pace
from vitrine.ports import MessageQueue


@dataclass(frozen=True, kw_only=True)
class Hint:
    """Look at this master. `redrives` names the failed execution that is to be made good."""

    master_key: str
    redrives: str = ""
    waits: int = 0
    """How often too much was running when its turn came."""

    @classmethod
    def from_body(cls, body: str) -> "Hint":
        """EventBridge carries the key as it is, not URL-encoded. Raises ValueError."""
        try:
            detail = json.loads(body)["detail"]
            return cls(
                master_key=str(detail["object"]["key"]),
                redrives=str(detail.get("redrives", "")),
                waits=int(detail.get("waits", 0)),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no event about an object: {body[:200]}") from error

    def as_body(self) -> str:
        """The message that `from_body` reads back."""
        detail = {
            "object": {"key": self.master_key},
            "redrives": self.redrives,
            "waits": self.waits,
        }
        return json.dumps({"source": "vitrine", "detail": detail}, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class StarterServices:
    """What the starter works with."""

    ingest: IngestServices
    uploads: MessageQueue
    pace: Pace


def follow_hint(services: StarterServices, body: str) -> Started:
    """Start what the hint is about, or put it back into the queue while too much is running.

    It is sent anew, not left: a message that is received too often counts as unusable.
    Raises ValueError for what is no hint, TransientError.
    """
    hint = Hint.from_body(body)
    if not services.pace.allows_another():
        longer = replace(hint, waits=hint.waits + 1)
        services.uploads.send(
            longer.as_body(), delay_seconds=services.pace.wait_seconds(services.uploads)
        )
        return Started.WAITING
    started = start_ingest(services.ingest, hint.master_key, hint.redrives)
    if started is Started.STARTED:
        services.pace.started()
    return started
