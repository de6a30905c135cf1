"""What visitors and a swarm got, and what it took."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadtest.drills.swarm.swarm_drill import (
    MAX_RATIO,
    MAX_THUMBNAIL_MS,
    broken_promises,
    tile_ratio,
)
from loadtest.report.charts import Series, grouped_bars, line_chart
from loadtest.report.document import Heading, Part, Table, Text, captioned_chart
from loadtest.report.saved_run import Report

_MEBIBYTE = 1 << 20


def report_parts(figures: Mapping[str, Any]) -> list[Part]:
    """Return the report."""
    found = broken_promises(figures)
    order = figures["order"]
    return [
        Text(
            f"{order['visitors']} visitors look at images for {order['seconds']:.0f} s, in "
            "sessions of OpenSeadragon and at pages of thumbnails. Next to them, requests of "
            f"{order['addresses']:,} addresses come at {figures['swarm_per_second']:.1f} a second, "
            f"{figures['swarm_per_second'] / figures['probe']['per_second']:.1f} times what this "
            f"machine answers of them with nothing else to do: full-size "
            "renders that nobody asked for before, images that nobody opened, names that no image "
            "has. No edge is in front, so nothing is answered by its cache."
        ),
        Text(
            "The generator runs on the same cores as the server. S3 is a server of ours that "
            f"waits {figures['s3_latency_ms']:.0f} ms before each answer."
        ),
        Text(" ".join(found) or "Every promise was kept.", bad=bool(found)),
        Heading("What visitors got"),
        _visitors_table(figures),
        captioned_chart("Tiles of visitors over time, p99", _timeline_chart(figures)),
        captioned_chart("Tiles of visitors, p50 and p99", _latency_bars(figures)),
        Heading("What the swarm got"),
        _swarm_table(figures),
        _refusals_table(figures),
        Heading("What it took"),
        _resources_table(figures),
        captioned_chart("Memory over time", _memory_chart(figures)),
        _bill_table(figures),
    ]


def _visitors_table(figures: Mapping[str, Any]) -> Table:
    header = (
        *("part", "requests", "failed", "tile p50 ms", "tile p99 ms", "ratio"),
        *("known p99", "fresh p50", "fresh p99", "thumbnail p95", "info p99"),
    )
    rows, bad = [], set()
    for number, (name, part) in enumerate(figures["parts"].items()):
        visitors = part["visitors"]
        classes, tiles = visitors["classes"], visitors["tiles"]
        ratio = tile_ratio(figures, name) if part["swarm"] else 1.0
        thumbnail = classes.get("thumbnail", {}).get("p95_ms", 0.0)
        rows.append(
            (
                name,
                f"{visitors['requests']:,}",
                f"{visitors['failures']:,}",
                _format_milliseconds(tiles, "p50_ms"),
                _format_milliseconds(tiles, "p99_ms"),
                f"{ratio:.2f}",
                _format_milliseconds(classes.get("tile of a known image", {}), "p99_ms"),
                _format_milliseconds(classes.get("tile of a fresh image", {}), "p50_ms"),
                _format_milliseconds(classes.get("tile of a fresh image", {}), "p99_ms"),
                f"{thumbnail:.1f}",
                _format_milliseconds(classes.get("info.json", {}), "p99_ms"),
            )
        )
        checks = [(2, visitors["failures"] > 0), (5, ratio > MAX_RATIO)]
        checks.append((9, thumbnail > MAX_THUMBNAIL_MS))
        bad |= {(number, column) for column, is_bad in checks if is_bad}
    return Table("Visitors, times in milliseconds", header, rows, bad=frozenset(bad))


def _swarm_table(figures: Mapping[str, Any]) -> Table:
    rows = []
    for name, part in figures["parts"].items():
        swarm = part["swarm"]
        for answer, count in swarm.get("answers", {}).items():
            kind, _, status = answer.rpartition(" ")
            rows.append((name, kind, "no answer" if status == "0" else status, f"{count:,}"))
        if swarm:
            rows.append((name, "not sent, or open at the end", "", f"{_count_lost(swarm):,}"))
    return Table("Answers to the swarm", ("part", "request", "status", "count"), rows, words=3)


def _count_lost(swarm: Mapping[str, Any]) -> int:
    return int(swarm["unsent"] + swarm["open_at_the_end"])


def _refusals_table(figures: Mapping[str, Any]) -> Table:
    rows = [
        (name, labels, f"{count:,.0f}")
        for name, part in figures["parts"].items()
        for labels, count in part["gave_way"].items()
        if count
    ]
    return Table("Requests that gave way", ("part", "turn and result", "count"), rows, words=2)


def _resources_table(figures: Mapping[str, Any]) -> Table:
    header = (
        *("part", "memory MiB", "disk MiB", "cores", "S3 requests", "S3 MB", "names read"),
        *("generator cores", "late p99 ms"),
    )
    rows = []
    for name, part in figures["parts"].items():
        s3 = part["s3"]
        rows.append(
            (
                name,
                f"{part['peak_memory_bytes'] / _MEBIBYTE:,.0f}",
                f"{part['peak_disk_bytes'] / _MEBIBYTE:,.0f}",
                f"{sum(part['server_cores'].values()):.2f}",
                f"{s3['requests']:,}",
                f"{s3['bytes'] / 1e6:,.0f}",
                f"{part['table_names']:,.0f}",
                f"{part['generator_cores'] + part['swarm'].get('cores', 0.0):.2f}",
                f"{part['swarm'].get('late_p99_ms', 0.0):.1f}",
            )
        )
    return Table("Resources, at most and in all", header, rows)


def _bill_table(figures: Mapping[str, Any]) -> Table:
    rows = [
        (name, f"{bill['edge_usd_an_hour']:.4f}", f"{bill['origin_usd_an_hour']:.4f}")
        for name, bill in figures["bills"].items()
    ]
    return Table("List prices of us-east-1, USD an hour", ("part", "edge", "origin"), rows)


def _timeline_chart(figures: Mapping[str, Any]) -> str:
    return line_chart(
        "tiles", _make_series(figures, "timeline", "p99_ms"), "seconds", "milliseconds"
    )


def _make_series(figures: Mapping[str, Any], table: str, value: str) -> list[Series]:
    found = []
    for number, (name, part) in enumerate(figures["parts"].items()):
        rows = part["visitors"][table]
        found.append(
            Series(name, number, [row["at"] for row in rows], [row.get(value, 0) for row in rows])
        )
    return found


def _memory_chart(figures: Mapping[str, Any]) -> str:
    series = [
        Series(
            name,
            number,
            [sample["at"] for sample in part["samples"]],
            [sample["memory_bytes"] / _MEBIBYTE for sample in part["samples"]],
        )
        for number, (name, part) in enumerate(figures["parts"].items())
    ]
    return line_chart("memory", series, "seconds", "MiB")


def _latency_bars(figures: Mapping[str, Any]) -> str:
    names: Sequence[str] = list(figures["parts"])
    tiles = [part["visitors"]["tiles"] for part in figures["parts"].values()]
    values = [(key, [row.get(f"{key}_ms", 0.0) for row in tiles]) for key in ("p50", "p99")]
    return grouped_bars("tile-bars", names, values, "milliseconds", logarithmic=True)


def _format_milliseconds(row: Mapping[str, float], key: str) -> str:
    return f"{row[key]:.1f}" if key in row else ""


REPORT = Report(bench="swarm", title="A swarm next to visitors", parts=report_parts)
