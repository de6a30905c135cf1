"""Options of a drill."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Orders:
    """The defaults are the drill that was asked for; shares in percent."""

    masters: int = 1_000
    seed: int = 1
    fault_percent: float = 2.0
    """Of the calls of S3 and DynamoDB that go wrong."""
    event_percent: float = 5.0
    """Of S3's events that come twice, and as many that come late."""
    latest_seconds: int = 60
    """By which an event is late, at the most."""
    kills: int = 50
    """Lambdas killed at random."""
    kills_until: float = 0.9
    """By when so many of the masters have ended, as a share, the last one is killed."""
    outage_seconds: float = 15.0
    """Once each, S3 and DynamoDB refuse everything for so long; 0: never."""
    kill_emulator: bool = True
    kill_everything: bool = False
    settle_seconds: float = 1_200.0
    """By then nothing moves; a message whose starter was killed is hidden for 6 minutes."""
    keep: bool = False
    """Keep the service's folder for inspection."""


def scaled(masters: int, seed: int, keep: bool) -> Orders:
    """Return the requested drill, with kills in proportion to its masters."""
    return Orders(masters=masters, seed=seed, kills=max(2, masters // 20), keep=keep)


def killing_everything(masters: int, seed: int, keep: bool) -> Orders:
    """Return a drill with a single disruption: every process is killed in the middle."""
    return Orders(
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
