"""Options of a drill."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DrillOptions:
    """Options of a drill; the defaults are the promised one. Shares are in per cent."""

    masters: int = 1_000
    seed: int = 1
    fault_percent: float = 2.0
    """Share of the calls of S3 and DynamoDB that fail."""
    event_percent: float = 5.0
    """Share of S3's events that come twice, and of those that come late."""
    latest_seconds: int = 60
    """Longest delay of a late event."""
    kills: int = 50
    """Lambdas killed at random."""
    kills_until: float = 0.9
    """Share of the masters that have ended when the last process is killed."""
    outage_seconds: float = 15.0
    """Once each, S3 and DynamoDB refuse everything for so long; 0: never."""
    kill_emulator: bool = True
    kill_everything: bool = False
    hidden_seconds: int | None = None
    """Seconds for which a message is hidden from others once a Lambda has taken it, and so for
    which it waits if that Lambda is killed. By default those of the templates, up to 30 minutes."""
    settle_seconds: float = 2_700.0
    """Time after which nothing moves any more: longer than any message is hidden."""
    keep: bool = False
    """Keep the service's folder for inspection."""


def scale_orders(masters: int, seed: int, keep: bool) -> DrillOptions:
    """Return the requested drill, with kills in proportion to its masters."""
    return DrillOptions(masters=masters, seed=seed, kills=max(2, masters // 20), keep=keep)


def killing_everything(masters: int, seed: int, keep: bool) -> DrillOptions:
    """Return a drill with a single disruption: every process is killed in the middle."""
    return DrillOptions(
        masters=masters,
        seed=seed,
        fault_percent=0,
        event_percent=0,
        kills=0,
        outage_seconds=0,
        kill_emulator=False,
        kill_everything=True,
        keep=keep,
    )
