"""Figures of each study as tables in Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from docs.build.markdown import table
from loadtest.figures.request_figures import COLUMNS
from loadtest.fleet import load_test_table as loadtest
from loadtest.report.format_figure import format_figure
from loadtest.studies.cache_percent import cache_percent_report as cache_percent
from loadtest.studies.cold_reads import cold_reads_report as cold_reads
from loadtest.studies.delivery import delivery_report as delivery
from loadtest.studies.edge import edge_report as edge
from loadtest.studies.encoders import encoders_report as encoders
from loadtest.studies.formats import formats_report as formats
from loadtest.studies.generator import generator_report as generator
from loadtest.studies.ingest import ingest_report as ingest
from loadtest.studies.museum import museum_tables as museum
from loadtest.studies.photo_door import photo_door_report as photo_door
from loadtest.studies.renderers import renderers_report as renderers
from loadtest.studies.tile_cost import tile_cost_report as tile_cost
from loadtest.studies.workers import workers_report as workers

Figures = dict[str, Any]
Remarks = Callable[[Figures], Iterator[tuple[str, bool]]]
_SECONDS = ("average_seconds", "p50_seconds", "p95_seconds", "p99_seconds", "worst_seconds")


def _report(figures: Figures) -> Iterator[str]:
    for connections in dict.fromkeys(entry["connections"] for entry in figures["medians"]):
        entries = museum.of_connections(figures, connections)
        yield f"{connections} connections, side by side:\n\n{_side(entries)}"
        for entry in entries:
            cpu = museum.CPU
            header = [*museum.SOURCE, *COLUMNS.values(), cpu]
            rounds = f"{entry['rounds']} rounds" if entry["rounds"] > 1 else "one round"
            rows = table(header, museum.entry_cells(entry))
            yield f"{entry['server']}, {connections} connections, {rounds}:\n\n{rows}"


def _side(entries: Sequence[Figures]) -> str:
    """Return requests per second and CPU of each class, and the first server's lead over the
    best of the others.
    """
    names = [entry["server"] for entry in entries]
    header = ["source and size", *(f"{name}, req/s" for name in names)]
    header += [f"{name}, CPU ms/req" for name in names]
    header += [f"{names[0]} leads, req/s", "CPU"] if len(names) > 1 else []
    rows = []
    for kind in entries[0]["rows"]:
        rates = [entry["rows"].get(kind, {}).get("requests_per_second") for entry in entries]
        cpu = [museum.cpu_of(entry, kind) for entry in entries]
        row = [museum.named(kind), *map(format_figure, [*rates, *cpu])]
        if len(names) > 1:
            row += [_lead(rates, more_is_better=True), _lead(cpu, more_is_better=False)]
        rows.append(row)
    return table(header, rows)


def _lead(values: Sequence[float | None], *, more_is_better: bool) -> str:
    known = [ratio for ratio in museum.ratios(values, more_is_better)[1:] if ratio is not None]
    return f"{min(known):.2f} x" if known else "-"


def _workers(figures: Figures) -> Iterator[str]:
    rows = [workers.cells(row) for row in workers.ordered(figures)]
    yield table(workers.HEADER, rows)


def _cache(figures: Figures) -> Iterator[str]:
    parameters = figures["parameters"]
    options = (
        f"--requests {parameters['num_requests']} --cache-percent {parameters['cache_percent']} "
        f"--clients {parameters['num_clients']}"
    )
    header = ["responses", "requests", "average app time, s"]
    header += [name.replace("_seconds", ", s") for name in _SECONDS]
    rows = [
        [
            part.replace("_", "-"),
            format_figure(figures[part]["requests"]),
            *(format_figure(figures[part][name]) for name in ("average_app_seconds", *_SECONDS)),
        ]
        for part in ("all", "non_cached", "cached")
    ]
    yield (
        f"`vitrine-loadtest study cache-percent URL {options}`: "
        f"{figures['requests']:,} successful requests, {figures['errors']} errors, "
        f"{format_figure(figures['requests_per_second'])} requests/s.\n\n{table(header, rows)}"
    )


def _generator(figures: Figures) -> Iterator[str]:
    yield table(list(generator.COLUMNS.values()), generator.rows_of(figures))


def _loadtest(figures: Figures) -> Iterator[str]:
    rows = [
        [
            format_figure(row[name]) if isinstance(row[name], int | float) else str(row[name])
            for name in loadtest.COLUMNS
        ]
        for row in figures["rows"]
    ]
    yield f"{figures['scenario']}:\n\n{table(list(loadtest.COLUMNS.values()), rows)}"


def _renderers(figures: Figures) -> Iterator[str]:
    sources = "\n".join(f"- {name}: {words}." for name, words in figures["photographs"].items())
    servers = "\n".join(f"- {name}: {words}." for name, words in figures["servers"].items())
    yield f"{sources}\n\n{servers}\n"
    for caption, header, rows in renderers.markdown_tables(figures):
        yield f"{caption}:\n\n{table(header, rows)}"


TABLES: Mapping[str, tuple[Callable[[Figures], Iterator[str]], Remarks]] = {
    "report": (_report, museum.remarks),
    "workers": (_workers, workers.remarks),
    "renderers": (_renderers, renderers.remarks),
    "cache": (_cache, cache_percent.remarks),
    "generator": (_generator, generator.remarks),
    "loadtest": (_loadtest, loadtest.remarks),
}
"""Tables and remarks, by the name of the bench in a saved run."""

TEXTS: Mapping[str, Callable[[Figures], str]] = {
    "formats": formats.text,
    "photo-door": photo_door.text,
}
"""Benches whose text for a terminal is quoted."""

MARKDOWN: Mapping[str, Callable[[Figures], str]] = {
    "deliver": delivery.table,
    "encode": encoders.table,
    "ingest": ingest.table,
    "cold-reads": cold_reads.table,
    "edge": edge.table,
    "tile-cost": tile_cost.table,
}
"""Benches that write Markdown themselves."""
