"""The middle of the rounds, per class of request and rig."""

import statistics
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
_NAMES = ("label", "bed")
_SUMMED = ("failures",)


def medians(rows: Sequence[Row]) -> list[Row]:
    """One row per label and rig: medians of all numbers, also of those in inner dicts.

    `failures` is the sum over the rounds; `rounds` says how many there were; a flag is true if it
    was true once.
    """
    found: list[Row] = []
    for label, rig in dict.fromkeys((row["label"], row["bed"]) for row in rows):
        group = [row for row in rows if (row["label"], row["bed"]) == (label, rig)]
        found.append({"label": label, "bed": rig, "rounds": len(group)} | _middle(group))
    return found


def _middle(group: Sequence[Row]) -> Row:
    middle: Row = {}
    for key, first in group[0].items():
        values = [row[key] for row in group if key in row]
        if key in (*_NAMES, "round"):
            continue
        if isinstance(first, dict):
            middle[key] = _middle(values)
        elif isinstance(first, bool):
            middle[key] = any(values)
        elif key in _SUMMED:
            middle[key] = sum(values)
        elif isinstance(first, int | float):
            middle[key] = round(statistics.median(values), 4)
    return middle
