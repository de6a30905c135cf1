"""Saved runs of the studies as tables in Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from loadtest.figures.request_figures import COLUMNS
from loadtest.fleet import load_test_table as loadtest
from loadtest.report.bar_svg import number_text
from loadtest.studies.cache_percent import cache_percent_report as cachepercent
from loadtest.studies.formats import formats_report as formats
from loadtest.studies.generator import generator_report as generator
from loadtest.studies.museum import museum_tables as museum
from loadtest.studies.photos import photos_report as photos
from loadtest.studies.workers import workers_report as workers

Figures = dict[str, Any]
Remarks = Callable[[Figures], Iterator[tuple[str, bool]]]
_SECONDS = ("average_seconds", "p50_seconds", "p95_seconds", "p99_seconds", "worst_seconds")


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column to the left, numbers to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _report(figures: Figures) -> Iterator[str]:
    for connections in dict.fromkeys(entry["connections"] for entry in figures["medians"]):
        entries = museum.of_connections(figures, connections)
        yield f"{connections} connections, side by side:\n\n{_side(entries)}"
        for entry in entries:
            cpu = museum.CPU
            header = [*museum.SOURCE, *COLUMNS.values(), cpu]
            rounds = f"{entry['rounds']} rounds" if entry["rounds"] > 1 else "one round"
            table = markdown(header, museum.entry_cells(entry))
            yield f"{entry['server']}, {connections} connections, {rounds}:\n\n{table}"


def _side(entries: Sequence[Figures]) -> str:
    """Requests a second and CPU of each class; how many times better the first is than the best
    of the others."""
    names = [entry["server"] for entry in entries]
    header = ["source and size", *(f"{name}, req/s" for name in names)]
    header += [f"{name}, CPU ms/req" for name in names]
    header += [f"{names[0]} leads, req/s", "CPU"] if len(names) > 1 else []
    rows = []
    for kind in entries[0]["rows"]:
        rates = [entry["rows"].get(kind, {}).get("requests_per_second") for entry in entries]
        cpu = [museum.cpu_of(entry, kind) for entry in entries]
        row = [museum.named(kind), *map(number_text, [*rates, *cpu])]
        if len(names) > 1:
            row += [_lead(rates, more_is_better=True), _lead(cpu, more_is_better=False)]
        rows.append(row)
    return markdown(header, rows)


def _lead(values: Sequence[float | None], *, more_is_better: bool) -> str:
    found = [ratio for ratio in museum.ratios(values, more_is_better)[1:] if ratio is not None]
    return f"{min(found):.2f} x" if found else "-"


def _workers(figures: Figures) -> Iterator[str]:
    rows = [workers.cells(row) for row in workers.ordered(figures)]
    yield markdown(workers.HEADER, rows)


def _cache(figures: Figures) -> Iterator[str]:
    told = figures["parameters"]
    parameters = [str(told[name]) for name in ("num_requests", "cache_percent", "num_clients")]
    header = ["responses", "requests", "average app time, s"]
    header += [name.replace("_seconds", ", s") for name in _SECONDS]
    rows = [
        [
            part.replace("_", "-"),
            number_text(figures[part]["requests"]),
            *(number_text(figures[part][name]) for name in ("average_app_seconds", *_SECONDS)),
        ]
        for part in ("all", "non_cached", "cached")
    ]
    yield (
        f"`vitrine-loadtest study cache-percent URL {' '.join(parameters)}`: "
        f"{figures['requests']:,} successful requests, {figures['errors']} errors, "
        f"{number_text(figures['requests_per_second'])} requests/s.\n\n{markdown(header, rows)}"
    )


def _generator(figures: Figures) -> Iterator[str]:
    yield markdown(list(generator.COLUMNS.values()), generator.rows_of(figures))


def _loadtest(figures: Figures) -> Iterator[str]:
    rows = [
        [
            number_text(row[name]) if isinstance(row[name], int | float) else str(row[name])
            for name in loadtest.COLUMNS
        ]
        for row in figures["rows"]
    ]
    yield f"{figures['scenario']}:\n\n{markdown(list(loadtest.COLUMNS.values()), rows)}"


TABLES: Mapping[str, tuple[Callable[[Figures], Iterator[str]], Remarks]] = {
    "report": (_report, museum.remarks),
    "workers": (_workers, workers.remarks),
    "cache": (_cache, cachepercent.remarks),
    "generator": (_generator, generator.remarks),
    "loadtest": (_loadtest, loadtest.remarks),
}
"""By the name of the bench: its tables, and what to think of its figures."""

TEXTS: Mapping[str, Callable[[Figures], str]] = {"formats": formats.text, "photos": photos.text}
"""Benches whose own text for a terminal is what is quoted."""
