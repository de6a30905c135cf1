"""The rules of one walk of the reconciler."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from vitrine.store.clock import rfc3339
from vitrine.store.layout import identifier_digest

SHARES = 30
"""Shares of the live images, one of which is checked closely in each walk."""
FRESH_SECONDS = 120
"""Seconds after its outcome was written within which Step Functions need not know an execution."""
COUNTED = (
    "masters",
    "started",
    "restarted",
    "renewed",
    "queued",
    "rejected",
    "withdrawing",
    "access_masters",
    "superseded",
    "kept",
)
"""Counters: `masters` and `access_masters` were checked, `kept` were tagged though live."""


class Crowded(Exception):
    """Too many executions are running, and too many uploads wait."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Limits of one walk. Times are RFC 3339 UTC."""

    unfinished_before: str
    """An execution that began before then is not running any more."""
    lost_before: str
    """An execution that began before then can be asked for: is it running?"""
    withdrawn_before: str
    """The image of a master that was deleted before then should be withdrawn by now."""
    attempt: str
    """Part of the names of executions; walks of one day start each only once."""
    share: int | None = None
    """Share of live images that are checked closely, 0 to SHARES - 1; None: all."""
    dry_run: bool = False
    asks_for_access_masters: bool = False
    """True if the access master of every published image is looked for, as after a loss."""
    renews_access_masters: bool = False
    """The same, and those of another recipe than the present one are converted again."""

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
        """Return the rules of a walk that begins at `moment`.

        With `rotate`, another share of the live images is checked every day.
        """
        ingest = timedelta(seconds=execution_timeout_seconds)
        grace = timedelta(seconds=withdrawal_grace_seconds)
        return cls(
            unfinished_before=rfc3339(moment - ingest),
            lost_before=rfc3339(moment - timedelta(seconds=FRESH_SECONDS)),
            withdrawn_before=rfc3339(moment - ingest - grace),
            attempt=moment.astimezone(UTC).date().isoformat(),
            share=moment.toordinal() % SHARES if rotate else None,
            dry_run=dry_run,
        )

    def checks_closely(self, identifier: str) -> bool:
        """Return True if this image is in the share that is checked closely."""
        digest = int(identifier_digest(identifier), 16)
        return self.share is None or digest % SHARES == self.share
