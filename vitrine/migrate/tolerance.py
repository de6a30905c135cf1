"""How many rows may end unsuccessfully before a migration stops."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.migrate.planned import UNSUCCESSFUL, State


def parse_tolerance(text: str) -> float:
    """`5%` or `5`: a percentage from 0 to 100. Raises ValueError."""
    percent = float(text.strip().removesuffix("%"))
    if not 0 <= percent <= 100:
        raise ValueError(f"{text} is not 0 to 100 per cent")
    return percent


@dataclass(frozen=True)
class Tolerance:
    """`percent` of all rows, as ToleratedFailurePercentage of a Distributed Map counts them."""

    percent: float

    def bears(self, counts: Mapping[State, int]) -> bool:
        """Are so many unsuccessful rows still tolerated?"""
        unsuccessful = sum(counts.get(state, 0) for state in UNSUCCESSFUL)
        return unsuccessful * 100 <= self.percent * sum(counts.values())
