"""The table and the chart of a run."""

from collections.abc import Mapping
from typing import Any

from loadtest.report.charts import Series, lines, standalone

_PROCESSES = ("nginx", "gateway")


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: medians of the rounds, then CPU as a multiple of the static file's."""
    head = ("request", "CPU ms", *_PROCESSES, "p50 ms", "p99 ms", "requests/s", "bytes", "failures")
    shares = ("request", "of the static file", "at most", "met", "rounds")
    return "\n".join(
        [
            *_header(head),
            *(_line(_medians(row)) for row in figures["medians"]),
            "",
            *_header(shares),
            *(_line(_ratio(what, found)) for what, found in figures["ratios"].items()),
            "",
        ]
    )


def is_as_promised(figures: Mapping[str, Any]) -> bool:
    """Return True if every answer was right and no kind of tile costs more than promised."""
    failures = sum(row["failures"] for row in figures["rounds"]) + figures["check"]["failures"]
    met = all(found["median"] <= found["most"] for found in figures["ratios"].values())
    return met and not failures


def chart(figures: Mapping[str, Any]) -> str:
    """Return an SVG: CPU per request of each kind, round by round."""
    kinds = [row["label"] for row in figures["medians"]]
    series: list[Series] = []
    for kind in kinds:
        rows = sorted(
            (row for row in figures["rounds"] if row["label"] == kind),
            key=lambda row: row["round"],
        )
        x, y = zip(*((row["round"], row["cpu_ms_per_request"]) for row in rows), strict=True)
        series.append(Series(kind, len(series), x, y))
    return standalone(lines("tile-cost", series, "round", "CPU, ms per request"))


def _medians(row: Mapping[str, Any]) -> list[str]:
    by_process = row["cpu_ms_by_process"]
    return [
        row["label"],
        f"{row['cpu_ms_per_request']:.4f}",
        *(f"{by_process[name]:.4f}" if name in by_process else "" for name in _PROCESSES),
        f"{row['p50_ms']:.2f}",
        f"{row['p99_ms']:.2f}",
        f"{row['requests_per_second']:,.0f}",
        f"{row['bytes'] / row['requests']:,.0f}",
        f"{row['failures']:,}",
    ]


def _ratio(what: str, found: Mapping[str, Any]) -> list[str]:
    met = "yes" if found["median"] <= found["most"] else "NO"
    rounds = ", ".join(f"{value:.2f}" for value in found["rounds"])
    return [what, f"{found['median']:.2f}", f"{found['most']:g}", met, rounds]


def _header(cells: tuple[str, ...]) -> list[str]:
    return [_line(cells), "|---|" + "---:|" * (len(cells) - 1)]


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"
