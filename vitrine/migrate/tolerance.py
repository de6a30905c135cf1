"""The share of rows that may be unsuccessful before a migration stops."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitrine.migrate.planned_row import UNSUCCESSFUL, State


def parse_tolerance(text: str) -> float:
    """Parse `5%` or `5`, a percentage from 0 to 100. Raises ValueError."""
    percent = float(text.strip().removesuffix("%"))
    if not 0 <= percent <= 100:
        raise ValueError(f"{text} is not a percentage from 0 to 100, such as 5%")
    return percent


@dataclass(frozen=True)
class Tolerance:
    """`percent` of all rows, counted as ToleratedFailurePercentage of a Distributed Map is."""

    percent: float

    def tolerates(self, counts: Mapping[State, int]) -> bool:
        """Return True if the number of unsuccessful rows in `counts` is still tolerated."""
        unsuccessful = sum(counts.get(state, 0) for state in UNSUCCESSFUL)
        return unsuccessful * 100 <= self.percent * sum(counts.values())
