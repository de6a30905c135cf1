"""The rounds of a study brought to one row of each cell: medians, sums, flags."""

from collections.abc import Iterator, Sequence
from typing import Any

from loadtest.figures.order_statistics import median

Row = dict[str, Any]
_NAMES = ("label", "bed", "round")
_SUMMED = ("failures",)


def round_medians(rows: Sequence[Row]) -> list[Row]:
    """Return one row per label and rig: medians of all numbers, also of those in inner dicts.

    `failures` is the sum over the rounds; `rounds` says how many there were; a flag is true if it
    was true once. Rows name their rig under "bed", as those of saved runs always did.
    """
    return [
        {"label": label, "bed": rig, "rounds": len(group)} | _medians_by_key(group)
        for (label, rig), group in group_rows(rows, "label", "bed")
    ]


def group_rows(rows: Sequence[Row], *keys: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Yield (values of the keys, rows that have them), in the order in which they first occur."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    yield from groups.items()


def complete_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rounds that were not interrupted; all of them if every one was."""
    return [row for row in rows if row["complete"]] or list(rows)


def _medians_by_key(group: Sequence[Row]) -> Row:
    result: Row = {}
    for key, first in group[0].items():
        values = [row[key] for row in group if key in row]
        if key in _NAMES:
            continue
        if isinstance(first, dict):
            result[key] = _medians_by_key(values)
        elif isinstance(first, bool):
            result[key] = any(values)
        elif key in _SUMMED:
            result[key] = sum(values)
        elif isinstance(first, int | float):
            result[key] = round(median(values), 4)
    return result
