"""A saved run as lines that another of its kind has too: what was measured -> its figures."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Figures = dict[str, float | None]
Lines = dict[str, Figures]

_ROW = {
    "requests_per_second": "req/s",
    "median_ms": "median ms",
    "average_ms": "avg ms",
    "p95_ms": "p95 ms",
    "p99_ms": "p99 ms",
    "average_bytes": "avg sz",
    "failures": "# fail",
}
_PART = {
    "requests": "responses",
    "average_seconds": "average s",
    "p50_seconds": "p50 s",
    "p95_seconds": "p95 s",
    "p99_seconds": "p99 s",
    "worst_seconds": "worst s",
    "bytes": "bytes",
}
_ENCODED = {
    "megapixels_per_cpu_second": "MP/CPU s",
    "wall_seconds_per_100_megapixels": "s/100 MP",
    "bits_per_pixel": "bits/pixel",
    "psnr_db": "PSNR dB",
}
_SERVED = {
    "average_ms": "avg ms",
    "cpu_ms_per_request": "CPU ms/req",
    "decode_ms": "decode CPU ms",
    "average_bytes": "avg sz",
    "failures": "# fail",
    "wrong_pixels": "share wrong",
}
_RENDERED = {
    "cpu_ms": "CPU ms/req",
    "p50_ms": "median ms",
    "psnr_db": "PSNR dB",
    "bytes": "bytes",
    "failures": "# fail",
}
_NOT_MEASURED = frozenset(
    {"rounds", "cpu_rounds", "failed", "images", "scenario", "parameters", "machine", "seed"}
)
"""Keys that are not figures of a run, or that it keeps of each round."""


def lines_of(bench: str, figures: Mapping[str, Any]) -> Lines:
    """Return the study's own rows if we know them; else every number, by its path in the JSON."""
    known = _KNOWN.get(bench)
    return dict(known(figures)) if known else _by_place(figures)


def _museum_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    for entry in figures["medians"]:
        cpu = entry.get("cpu_ms", {})
        for kind, row in entry["rows"].items():
            label = f"{entry['server']}, {entry['connections']} connections, {kind}"
            yield label, _name_values(row, _ROW) | {"CPU ms/req": cpu.get(kind)}


def _worker_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    names = _ROW | {"worst_ms": "worst ms", "cpu_ms_per_request": "CPU ms/req"}
    for row in figures["medians"]:
        label = (
            f"{row['server']} x {row['processes']}, {row['cache_percent']} % cached, "
            f"{row['clients']} clients"
        )
        yield label, _name_values(row, names)


def _cache_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    yield "run", _name_values(figures, {"requests_per_second": "req/s", "errors": "# fail"})
    for part in ("all", "non_cached", "cached"):
        yield part.replace("_", "-"), _name_values(figures[part], _PART)


def _loadtest_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    for row in figures["rows"]:
        yield f"{row['stage']}, {row['kind']}", _name_values(row, _ROW)


def _format_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    for row in figures["encoded"]:
        yield f"encoding, {row['format']}", _name_values(row, _ENCODED)
    for row in figures["served"]:
        times = {f"p{percent} ms": value for percent, value in row["percentiles_ms"].items()}
        label = f"{row['server']}, {row['format']}, {row['kind']}"
        yield label, times | _name_values(row, _SERVED)


def _answer_lines(figures: Mapping[str, Any]) -> Iterator[tuple[str, Figures]]:
    for row in figures["medians"]:
        yield f"{row['server']}, {row['request']}", _name_values(row, _RENDERED)


_KNOWN: Mapping[str, Callable[[Mapping[str, Any]], Iterator[tuple[str, Figures]]]] = {
    "report": _museum_lines,
    "workers": _worker_lines,
    "cache": _cache_lines,
    "loadtest": _loadtest_lines,
    "formats": _format_lines,
    "answers": _answer_lines,
}


def _name_values(values: Mapping[str, Any], names: Mapping[str, str]) -> Figures:
    return {name: values.get(key) for key, name in names.items()}


def _by_place(figures: Mapping[str, Any]) -> Lines:
    lines: Lines = {}
    for place, name, value in _find_numbers(figures, ()):
        lines.setdefault(" · ".join(place) or "run", {})[name.replace("_", " ")] = value
    return lines


def _find_numbers(
    values: Mapping[str, Any], place: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, float]]:
    for key, value in values.items():
        if key in _NOT_MEASURED:
            continue
        if isinstance(value, Mapping):
            yield from _find_numbers(value, (*place, key))
        elif isinstance(value, list):
            labels: Counter[str] = Counter()
            for number, item in enumerate(value):
                if isinstance(item, Mapping):
                    label = _label_item(item, number)
                    labels[label] += 1
                    again = f" ({labels[label]})" if labels[label] > 1 else ""
                    yield from _find_numbers(item, (*place, key, label + again))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield place, key, value


def _label_item(item: Mapping[str, Any], number: int) -> str:
    """Return the label of a list's entry: its words, or else its position."""
    words = [value for value in item.values() if isinstance(value, str) and len(value) < 60]
    return ", ".join(words) or str(number + 1)
