"""The comparison with our own load tests, as parts of a report."""

from collections.abc import Mapping, Sequence
from typing import Any

from capacity.validation.own.forecasts import METRICS, REPLICATIONS
from loadtest.report import charts
from loadtest.report.document import Chart, Part, Table, Text

_LABELS = {"requests_per_second": "requests/s", "p50_ms": "p50, ms", "p95_ms": "p95, ms"}


def own_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report: method, table, a chart for each figure, calibrated values."""
    measured = run["measured"]
    machine = measured["machine"]
    return (
        Text(
            f"Our image task (nginx, gateway, iipsrv; cache of derivatives off) on one core of "
            f"{machine['processor']}, the users on another, {measured['rounds']} rounds in turns "
            f"of {measured['seconds']:g} s (with one user three times that), "
            f"measured {machine['measured_at']}, version {machine['commit']}. Access masters of 6 "
            "to 151 megapixels lie on disk: neither edge nor object store takes part. The "
            "simulator is calibrated on a mix of sessions, index pages and the report's tables, "
            f"with one user and with eight, and then frozen. The other tests were drawn at random "
            f"(seed {measured['seed']}): users, pauses, shares of sessions, index pages and the "
            "report's requests, sizes of thumbnails, pixels of the screen. Its users ask for the "
            f"very same addresses in the same order. From the first {measured['gauging']} it is "
            "learned only by how much the model errs, which every interval contains; the other "
            f"{measured['drawn']} are judged."
        ),
        _table(run),
        *(_chart(metric, run) for metric in METRICS),
        Text(
            f"Of {run['judged']} predicted percentiles, {run['within_bound']} are within "
            f"{run['bound_percent']:g} % of the forecast, {run['inside_interval']} inside its 90 % "
            f"interval, {run['kept']} either. An interval is made of {REPLICATIONS} simulations "
            f"with seeds of their own, on a machine whose speed varies by "
            f"{run['speed_deviation']:.1%} as it did from round to round, and of what the model "
            f"misses on the {run['measured']['gauging']} tests that gauge it "
            f"({', '.join(_missed(name, run) for name in METRICS)}, as a standard deviation)."
        ),
        Text(
            f"Calibrated: {_calibrated(run)}. Next to the server's core each answer takes "
            f"{run['delay_ms']:.3f} ms, {run['generator_ms']:.3f} ms of the generator, which is "
            "one thread, and (unless nginx kept it) what tiles took longer than fast ones with one "
            "user. Who finds nobody there costs more: what a request that asks for nothing costs "
            "alone, and not among many; who comes when nobody came or went for 5 ms, still more: "
            "caches are cold. Demands seen with one user were multiplied by "
            f"{run['correction']:.3f} to give the CPU of eight."
        ),
    )


def _missed(metric: str, run: Mapping[str, Any]) -> str:
    return f"{_LABELS[metric]} {run['discrepancies'][metric]:.0%}"


def _table(run: Mapping[str, Any]) -> Table:
    header = ["load test", "used to"]
    for metric in METRICS:
        header += [f"{_LABELS[metric]}, predicted", "90 %", "measured", "error"]
    return Table(
        f"Predicted and measured; promised: nine of ten p50 and p95 within "
        f"{run['bound_percent']:g} % or inside their interval",
        [*header, "server's CPU, cores, predicted", "measured", "failures, measured"],
        [_cells(row) for row in run["rows"]],
        words=2,
    )


def _cells(row: Mapping[str, Any]) -> list[str]:
    cells = [row["test"], row["purpose"]]
    for metric in METRICS:
        compared = row[metric]
        mark = " MISSED" if compared["kept"] is False else ""
        cells += [
            f"{compared['predicted']:,.1f}",
            f"{compared['low']:,.1f} to {compared['high']:,.1f}",
            f"{compared['measured']:,.1f}",
            f"{compared['error_percent']:+.1f} %{mark}",
        ]
    cores = row["server_cores"]
    cells += [f"{cores['predicted']:.2f}", f"{cores['measured']:.2f}"]
    return [*cells, f"{row['failures']['measured']:,}"]


def _chart(metric: str, run: Mapping[str, Any]) -> Chart:
    label, rows = _LABELS[metric], run["rows"]
    groups = [row["test"].replace(", ", "\n").replace(" ", "\n", 1) for row in rows]
    bars = [(kind, [row[metric][kind] for row in rows]) for kind in ("measured", "predicted")]
    name = f"own-{metric.replace('_', '-')}"
    svg = charts.grouped_bars(name, groups, bars, label, logarithmic=True)
    return Chart(name, f"Our load tests, measured and predicted: {label}", svg)


def _calibrated(run: Mapping[str, Any]) -> str:
    names = {
        "tile_ms": "a tile {:.3f} ms of a core",
        "kept_tile_ms": "one that nginx kept {:.3f} ms",
        "small_ms": "a small derivative {:.2f} ms",
        "small_ms_per_megapixel": "and {:.2f} ms per megapixel of work",
        "large_ms": "a larger one {:.2f} ms",
        "large_ms_per_megapixel": "and {:.2f} ms per megapixel of work",
        "wake_ms": "to find nobody {:.3f} ms",
        "cold_tile_ms": "after 5 ms without anybody, for a tile {:.2f} ms",
        "cold_small_ms": "for a derivative {:.2f} ms",
        "render_variation": "deviation of the logarithm {:.2f} for derivatives",
    }
    return ", ".join(words.format(run["profile"][name]) for name, words in names.items())
