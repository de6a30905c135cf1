"""What holds for one walk of the reconciler."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from vitrine.store.clock import rfc3339
from vitrine.store.layout import identifier_digest

SHARES = 30
FOUND = (
    "masters",
    "started",
    "restarted",
    "queued",
    "rejected",
    "withdrawing",
    "access_masters",
    "superseded",
    "kept",
)
"""What is counted. `masters` and `access_masters` were looked at, `kept` tagged though live."""


class Crowded(Exception):
    """Too much is running, and too much waits."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Times are RFC 3339 UTC."""

    unfinished_before: str
    """What has been running since before then is not running any more."""
    withdrawn_before: str
    """A deletion before then should have been followed by now."""
    attempt: str
    """Name of tries of this walk; walks of one day collide."""
    share: int | None = None
    """Which live images are looked at closely, 0 to SHARES - 1; None: all."""
    dry_run: bool = False

    @classmethod
    def at(
        cls,
        moment: datetime,
        *,
        execution_timeout_seconds: int,
        withdrawal_grace_seconds: int,
        rotate: bool = False,
        dry_run: bool = False,
    ) -> "Rules":
        """The rules of a walk that begins at `moment`.

        `rotate`: another share of the live images every day.
        """
        ingest = timedelta(seconds=execution_timeout_seconds)
        grace = timedelta(seconds=withdrawal_grace_seconds)
        return cls(
            unfinished_before=rfc3339(moment - ingest),
            withdrawn_before=rfc3339(moment - ingest - grace),
            attempt=moment.astimezone(UTC).date().isoformat(),
            share=moment.toordinal() % SHARES if rotate else None,
            dry_run=dry_run,
        )

    def looks_closely_at(self, identifier: str) -> bool:
        """Whether this image is of the walk's share."""
        digest = int(identifier_digest(identifier), 16)
        return self.share is None or digest % SHARES == self.share
