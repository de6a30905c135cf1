"""The page docs/explanations/performance.md: what was measured, in a table per question."""

from collections.abc import Iterator, Mapping
from typing import Any

from docs.build import performance_losses
from docs.build.markdown import paragraph, table
from docs.build.performance_sections import (
    cold_image_section,
    collection_section,
    each_request_section,
    edge_section,
    encoders_section,
    formats_section,
    ingest_section,
    load_test_section,
    photo_door_section,
    tile_cpu,
)
from docs.build.saved_runs import SavedRun, cite, read_index
from loadtest.report.charts import grouped_bars, standalone
from loadtest.report.format_figure import format_figure

Figures = Mapping[str, Any]
MUSEUM = "museum"
SERVERS = {
    "ours": "Vitrine",
    "iipsrv": "iipsrv",
    "iipsrv-cached": "iipsrv, tile cache",
    "iiif-processor": "iiif-processor",
}
CHART = "performance/requests-per-second"
_LEAST_REQUESTS_A_USER = 10
"""In a round; below it a server has not reached the same part of the sequence as the others."""
_HEAD = """\
# What it can do

Everything was measured on one small machine (two cores of an AMD EPYC, 23.5 GiB), nothing on AWS.
Servers took turns, usually for five rounds, and a figure is the median of the rounds. Compare
figures within one table, not across tables or machines.

All tables behind this page are in [the reference](../reference/performance-tables.md), the raw
runs in `results/`, and every study is [a command](../howto/repeat-the-studies.md).
"""


def performance_page(runs: Mapping[str, SavedRun] | None = None) -> str:
    """Return the page as Markdown."""
    index = read_index() if runs is None else runs
    sections = (
        _summary,
        _museum,
        _losses,
        each_request_section,
        collection_section,
        cold_image_section,
        load_test_section,
        ingest_section,
        photo_door_section,
        encoders_section,
        formats_section,
        edge_section,
    )
    return "\n".join([_HEAD, *(block for section in sections for block in section(index))])


def requests_chart(runs: Mapping[str, SavedRun] | None = None) -> str:
    """Return an SVG file: requests per second of every server by number of connections."""
    index = read_index() if runs is None else runs
    stages = _totals(index[MUSEUM])
    measured = {server for total in stages.values() for server in total}
    bars = [
        (label, [total.get(server, (float("nan"),))[0] for total in stages.values()])
        for server, label in SERVERS.items()
        if server in measured
    ]
    groups = [f"{connections:,} connections" for connections in stages]
    name = "requests-per-second"
    return standalone(grouped_bars(name, groups, bars, "requests per second", width=6.4))


def _summary(index: Mapping[str, SavedRun]) -> Iterator[str]:
    totals = _totals(index[MUSEUM]).values()
    leads = [total["ours"][0] / total["iipsrv"][0] for total in totals]
    tile = tile_cpu(index)
    yield paragraph(
        f"In short: one core serves {min(leads):.0f} to {max(leads):.0f} times as many requests of "
        f"a museum's mix as iipsrv does, the more clients the more. A tile costs "
        f"{tile['vitrine']:.2f} ms of CPU, where iipsrv needs {tile['iipsrv']:.1f} ms. Where "
        "rivals are ahead is said below: [in this mix](#where-it-loses), and [in single "
        "requests](#what-does-one-request-cost)."
    )
    yield ""


def _museum(index: Mapping[str, SavedRun]) -> Iterator[str]:
    yield "## How much does one core serve?\n"
    yield paragraph(
        "Getty's report of 2019 (appendix 2) compared image servers with twelve kinds of request: "
        "tiles, thumbnails (128), images for a page (1024) and large ones (4096), each from small, "
        "medium and large masters. All twelve together, the server on one core and its clients on "
        "the other, no edge in front and no cache of finished answers:\n"
    )
    yield f"\n![Requests per second by number of connections and server]({CHART}.svg)\n"
    rows = []
    for connections, total in _totals(index[MUSEUM]).items():
        for server, (rate, median, p95, a_user) in total.items():
            mark = " (1)" if a_user < _LEAST_REQUESTS_A_USER else ""
            cells = (f"{rate:,.0f}{mark}", f"{median:,.0f}", f"{p95:,.0f}")
            rows.append((f"{connections:,}", SERVERS[server], *cells))
    header = ("connections", "server", "requests/s", "median ms", "p95 ms")
    yield table(header, rows, words=2)
    yield paragraph(
        "(1) So slow that each of its users came to fewer than ten requests in a round: the others "
        "got further in the same sequence, so the mix is not quite the same."
    )
    yield ""
    yield cite(index, MUSEUM)


def _totals(run: SavedRun) -> dict[int, dict[str, tuple[float, float, float, float]]]:
    """Return requests/s, median ms, p95 ms, and requests of a user in a round, by number of
    connections and server."""
    totals: dict[int, dict[str, tuple[float, float, float, float]]] = {}
    for entry in run.read()["figures"]["medians"]:
        row, connections = entry["rows"]["any"], entry["connections"]
        a_user = row["requests"] / entry["rounds"] / connections
        figures = (row["requests_per_second"], row["median_ms"], row["p95_ms"], a_user)
        totals.setdefault(connections, {})[entry["server"]] = figures
    return {
        connections: {server: total[server] for server in SERVERS if server in total}
        for connections, total in sorted(totals.items())
    }


def _losses(index: Mapping[str, SavedRun]) -> Iterator[str]:
    yield "## Where it loses\n"
    yield paragraph(
        "In the same run. The tile cache keeps decoded tiles, which pays while clients ask for "
        "the same few masters."
    )
    yield ""
    rows = performance_losses.losses(index[MUSEUM].read()["figures"])
    header = ("request", "figure", "connections", "Vitrine", "rival", "rival's")
    yield table(
        header,
        [
            (
                loss.kind,
                loss.figure,
                f"{loss.connections:,}",
                format_figure(loss.ours),
                SERVERS[loss.rival],
                format_figure(loss.theirs),
            )
            for loss in rows
        ],
        words=2,
    )
    yield paragraph("One line for each kind of request, figure and rival: the worst of all cases.")
    yield ""
