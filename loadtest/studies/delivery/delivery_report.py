"""The tables and the chart of a run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadtest.report.charts import bars, standalone
from loadtest.studies.delivery.delivery_goals import Goal, goals

_CHARTED = ("tiles", "edges", "view", "collection")
_MEGA = 1e6


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: promises, medians, latencies of mixes, looks at the answers, the rest."""
    scenarios = figures["scenarios"]
    rows = [row for name in _CHARTED for row in scenarios.get(name, {}).get("medians", ())]
    parts = [
        _goals(goals(scenarios)),
        _medians(rows),
        _classes([row for row in rows if len(row.get("classes", ())) > 1]),
        _checks([row for name in _CHARTED for row in scenarios.get(name, {}).get("checks", ())]),
        _giants(scenarios.get("giants", {}).get("rows", ())),
        _endurance(scenarios.get("endurance", {}).get("rows", ())),
        _replay(scenarios.get("replay", {}).get("rows", ())),
    ]
    return "\n".join(part for part in parts if part)


def _markdown(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table whose first two columns are words; "" if it has no rows."""
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    if not lines:
        return ""
    rule = "|---|---|" + "---:|" * (len(head) - 2)
    return "\n".join([f"### {title}", "", "| " + " | ".join(head) + " |", rule, *lines, ""])


def _goals(found: Sequence[Goal]) -> str:
    def cells(goal: Goal) -> Sequence[object]:
        promised = "" if goal.limit is None else f"{goal.comparison} {goal.limit:g}"
        met = {True: "yes", False: "NO", None: ""}[goal.met]
        return goal.what, promised, f"{goal.value:.4g}", met

    return _markdown("Promised", ("figure", "promised", "measured", "met"), map(cells, found))


def _medians(rows: Sequence[Mapping[str, Any]]) -> str:
    head = ("requests", "server", "CPU ms/request", "of which", "requests/s", "p50 ms", "p99 ms")
    return _markdown(
        "Medians of the rounds",
        (*head, "bytes/request", "failures", "server cores", "generator cores"),
        (
            (
                row["label"],
                row["bed"],
                f"{row['cpu_ms_per_request']:.3f}",
                ", ".join(
                    f"{name} {cpu:.3f}" for name, cpu in row["cpu_ms_by_process"].items() if cpu
                ),
                f"{row['requests_per_second']:,.0f}",
                f"{row['p50_ms']:.2f}" if "p50_ms" in row else "",
                f"{row['p99_ms']:.2f}" if "p99_ms" in row else "",
                f"{row['bytes'] / row['requests']:,.0f}",
                int(row["failures"]),
                f"{row['server_cores']:.2f}",
                f"{row['generator_cores']:.2f}{' (limit)' * row['generator_saturated']}",
            )
            for row in rows
        ),
    )


def _classes(rows: Sequence[Mapping[str, Any]]) -> str:
    return _markdown(
        "Latency of each class in the mix, medians of the rounds",
        ("class", "server", "requests", "p50 ms", "p99 ms", "max ms"),
        (
            (
                kind,
                row["bed"],
                int(values["requests"]),
                *(f"{values[key]:.1f}" for key in ("p50_ms", "p99_ms", "max_ms")),
            )
            for row in rows
            for kind, values in row["classes"].items()
        ),
    )


def _checks(rows: Sequence[Mapping[str, Any]]) -> str:
    head = ("requests", "server", "decoded", "failures", "bytes/request")
    return _markdown(
        "Every distinct answer, decoded",
        (*head, "bit-exact", "largest difference", "PSNR dB", "size"),
        (
            (
                row["label"],
                row["bed"],
                row["requests"],
                row["failures"],
                f"{row['bytes_per_request']:,}",
                *(row.get(key, "") for key in ("bit_exact", "largest_difference", "psnr_db")),
                ", ".join(row.get("sizes", ())),
            )
            for row in rows
        ),
    )


def _giants(rows: Sequence[Mapping[str, Any]]) -> str:
    head = (
        "requests",
        "server",
        "memory before MB",
        "peak MB",
        "answered 200",
        "503 + Retry-After",
    )
    return _markdown(
        "Ten clients ask for 24 megapixels (native size) and !4096 while four look at tiles",
        (*head, "other failures", "tiles before", "p99 ms", "tiles meanwhile", "p99 ms"),
        (
            (
                row["label"],
                f"{row['bed']}, round {row['round']}",
                f"{row['resident_bytes_before'] / _MEGA:,.0f}",
                f"{row['resident_bytes_peak'] / _MEGA:,.0f}",
                row["statuses"].get("200", 0),
                row["refused_with_retry_after"],
                row["refused_without"] + row["other_failures"] + row["tile_failures"],
                row["tiles_alone"]["requests"],
                f"{row['tiles_alone']['p99_ms']:.1f}",
                row["tiles_meanwhile"]["requests"],
                f"{row['tiles_meanwhile']['p99_ms']:.1f}",
            )
            for row in rows
        ),
    )


def _endurance(rows: Sequence[Mapping[str, Any]]) -> str:
    return _markdown(
        "Memory of the gateway",
        ("after", "server", "requests", "failures", "resident MB"),
        (
            (
                f"{row['mark']:,} tiles",
                row["bed"],
                f"{row['requests']:,}",
                row["failures"],
                f"{row['gateway_resident_bytes'] / _MEGA:.1f}",
            )
            for row in rows
        ),
    )


def _replay(rows: Sequence[Mapping[str, Any]]) -> str:
    return _markdown(
        "Replayed requests of Universal Viewer, on stand-ins of the true sizes",
        ("requests", "server", "sent", "failures"),
        ((row["label"], row["bed"], f"{row['requests']:,}", row["failures"]) for row in rows),
    )


def chart(figures: Mapping[str, Any]) -> str:
    """Return an SVG: CPU per request, one group of bars per class; "" without rows."""
    scenarios = figures["scenarios"]
    rows = [row for name in _CHARTED for row in scenarios.get(name, {}).get("medians", ())]
    if not rows:
        return ""
    rigs = list(dict.fromkeys(row["bed"] for row in rows))
    costs = {(row["label"], row["bed"]): row["cpu_ms_per_request"] for row in rows}
    groups = {row["label"]: [costs.get((row["label"], rig)) for rig in rigs] for row in rows}
    return standalone(bars("CPU per request of all server processes", groups, rigs, "ms"))
