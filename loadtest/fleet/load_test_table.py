"""The result of a load test, as a table and as CSV with the columns of the report's appendix 2."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COLUMNS = {
    "stage": "stage",
    "kind": "kind",
    "requests": "# req",
    "failures": "# fail",
    "median_ms": "median",
    "average_ms": "avg",
    "min_ms": "min",
    "max_ms": "max",
    "average_bytes": "avg sz",
    "requests_per_second": "req/s",
    "p95_ms": "p95",
    "p99_ms": "p99",
}
_SHOWN = 10


def write_csv(result: dict[str, Any], path: Path) -> None:
    """Write a line per stage and kind; times in milliseconds, sizes in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([row[name] for name in COLUMNS] for row in result["rows"])


def format_table(result: dict[str, Any]) -> str:
    """Return the rows, the failures and the remarks as text."""
    lines = [list(COLUMNS.values())]
    lines += [[str(row[name]) for name in COLUMNS] for row in result["rows"]]
    widths = [max(len(line[place]) for line in lines) for place in range(len(COLUMNS))]
    text = [
        "  ".join(
            word.ljust(width) if place < 2 else word.rjust(width)
            for place, (word, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([*text, "", *(sentence for sentence, _ in list_remarks(result))])


def list_remarks(result: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield remarks about the figures, each with True if it makes them worthless."""
    yield (
        f"{result['requests']:,} requests, {result['failures']:,} failures, "
        f"{result.get('decoded', 0):,} answers decoded; seed {result['seed']}; "
        f"generator at {result['generator_cpu_percent']:.0f} % of a core",
        False,
    )
    if result["generator_saturated"]:
        yield (
            "The generator was saturated, so that it measured itself: use more --processes, "
            "or another machine.",
            True,
        )
    for stage in result.get("stages", ()):
        if not any(row["stage"] == stage for row in result["rows"]):
            yield f"{stage}: no request was sent in this stage; use more --seconds.", True
    if not result["complete"]:
        yield "The run was interrupted, or a generator was lost: these are partial results.", True
    failed = sorted(result["failed"], key=lambda failure: -failure["times"])
    for entry in failed[:_SHOWN]:
        yield f"failed {entry['times']} x  {entry['error']}", False
    if len(failed) > _SHOWN:
        yield f"… and {len(failed) - _SHOWN} other failures (all with --json)", False
