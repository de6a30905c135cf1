"""The result of a load test, as a table and as CSV with the columns of the report's appendix 2."""

import csv
from pathlib import Path
from typing import Any

_COLUMNS = {
    "stage": "stage",
    "kind": "kind",
    "requests": "# req",
    "failures": "# fail",
    "median_ms": "median",
    "average_ms": "avg",
    "min_ms": "min",
    "max_ms": "max",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "average_bytes": "avg sz",
    "requests_per_second": "req/s",
}
_SHOWN = 10


def write_csv(result: dict[str, Any], path: Path) -> None:
    """One line per stage and kind; times in milliseconds, sizes in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(_COLUMNS)
        table.writerows([row[name] for name in _COLUMNS] for row in result["rows"])


def table(result: dict[str, Any]) -> str:
    """For people: the rows, what failed, and what to think of the figures."""
    lines = [list(_COLUMNS.values())]
    lines += [[str(row[name]) for name in _COLUMNS] for row in result["rows"]]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_COLUMNS))]
    text = [
        "  ".join(
            word.ljust(width) if place < 2 else word.rjust(width)
            for place, (word, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([*text, "", *_remarks(result)])


def _remarks(result: dict[str, Any]) -> list[str]:
    remarks = [
        f"{result['requests']:,} requests, {result['failures']:,} failures; seed {result['seed']}; "
        f"generator at {result['generator_cpu_percent']:.0f} % of a core"
    ]
    if result["generator_saturated"]:
        remarks.append(
            "The generator was saturated, so that it measured itself: use more --processes, "
            "or another machine."
        )
    if not result["complete"]:
        remarks.append("The run was interrupted: these are partial results.")
    failed = sorted(result["failed"], key=lambda failure: -failure["times"])
    remarks += [f"failed {entry['times']} x  {entry['error']}" for entry in failed[:_SHOWN]]
    if len(failed) > _SHOWN:
        remarks.append(f"… and {len(failed) - _SHOWN} other failures (all with --json)")
    return remarks
