"""Figures of all rounds, kept in a raw file next to their medians."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadtest.figures.order_statistics import median

ROUNDS = "rounds"


def summarize_rounds(taken: Iterable[Mapping[str, float]]) -> dict[str, Any]:
    """Return the median of each figure, and all rounds."""
    rounds = list(taken)
    medians = {key: round(median([one[key] for one in rounds]), 2) for key in rounds[0]}
    return {**medians, ROUNDS: rounds}


def summarize_kinds(taken: Iterable[Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    """Return the same for each kind of request."""
    rounds = list(taken)
    return {kind: summarize_rounds(one[kind] for one in rounds) for kind in rounds[0]}


def without_rounds(found: Any) -> Any:
    """Return the medians alone, for people."""
    if not isinstance(found, dict):
        return found
    return {name: without_rounds(value) for name, value in found.items() if name != ROUNDS}


def report(found: dict[str, Any], raw: Path | None) -> None:
    """Print the medians; write all rounds into the raw file, with when and by which command."""
    print(json.dumps(without_rounds(found), indent=1))
    if raw:
        head = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "arguments": sys.argv[1:],
            "processors": os.cpu_count(),
            "load": [round(one, 1) for one in os.getloadavg()],
        }
        raw.write_text(json.dumps(head | found, indent=1) + "\n")
