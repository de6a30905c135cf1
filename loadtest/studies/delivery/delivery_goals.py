"""The promised figures, computed from the rows of a run."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loadtest.corpora.access_masters import DESCRIPTIONS
from loadtest.figures.order_statistics import median
from loadtest.studies.delivery.scenarios import collection, edges, giants, tiles, view

OURS, PLAIN, CACHED, STATIC = "vitrine", "iipsrv", "iipsrv, tile cache", "static files"
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "≤": operator.le,
    "≥": operator.ge,
    ">": operator.gt,
    "=": operator.eq,
}
_RESIDENT_MB = 1_500
_CPU, _SPEED = "cpu_ms_per_request", "requests_per_second"

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Goal:
    """One figure. `comparison` and `limit` are empty if nothing was promised of it."""

    what: str
    value: float
    comparison: str = ""
    limit: float | None = None

    @property
    def met(self) -> bool | None:
        """True if the figure is as promised; None if nothing was promised."""
        if self.limit is None:
            return None
        return _COMPARE[self.comparison](self.value, self.limit)


def goals(scenarios: Mapping[str, Any]) -> list[Goal]:
    """Return all figures that the scenarios of this run give."""
    found: list[Goal] = []
    for name, compute in _GOALS.items():
        if scenarios.get(name, {}).get("rows"):
            found += compute(scenarios[name])
    return found


def ratio(rows: Rows, label: str, key: str, one: str, other: str) -> float:
    """Return the median over the rounds of `key` of the rig `one` divided by that of `other`."""
    pairs = zip(_values(rows, label, key, one), _values(rows, label, key, other), strict=True)
    return round(median(a / b for a, b in pairs), 3)


def _values(rows: Rows, label: str, key: str, rig: str) -> list[float]:
    """Return the values by round; a dot in `key` leads into inner dicts."""
    chosen = [row for row in rows if row["label"] == label and row["bed"] == rig]
    return [_inside(row, key) for row in sorted(chosen, key=lambda row: row["round"])]


def _inside(row: Any, key: str) -> float:
    for part in key.split("."):
        row = row[part]
    return float(row)


def _median(rows: Rows, label: str, key: str, rig: str) -> float:
    return round(median(_values(rows, label, key, rig)), 3)


def _tiles(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    rows = scenario["rows"]
    for number, name in enumerate(tiles.MASTERS):
        label, master = tiles.label_of(name), DESCRIPTIONS[name]
        cpu = ratio(rows, label, _CPU, PLAIN, OURS)
        speed = ratio(rows, label, _SPEED, OURS, PLAIN)
        promised = number == 0
        yield Goal(f"interior tiles, {master}: CPU of iipsrv / ours", cpu, *_if(promised, "≥", 12))
        yield Goal("the same: requests/s, ours / iipsrv", speed, *_if(promised, "≥", 8))
        yield Goal("the same: CPU, ours / a static file", ratio(rows, label, _CPU, OURS, STATIC))
        yield Goal(
            "the same: CPU, tile-caching iipsrv / ours", ratio(rows, label, _CPU, CACHED, OURS)
        )


def _if(promised: bool, comparison: str, limit: float) -> tuple[Any, ...]:
    return (comparison, limit) if promised else ()


def _edges(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    for name in edges.MASTERS:
        label = edges.label_of(name)
        yield Goal(
            f"{label}: CPU, ours / iipsrv",
            ratio(scenario["rows"], label, _CPU, OURS, PLAIN),
            "≤",
            1,
        )
        (check,) = _checks(scenario, label, OURS)
        yield Goal(
            f"{label}: of {check['requests']}, not bit-exact",
            check["requests"] - check["bit_exact"],
            "=",
            0,
        )


def _checks(scenario: Mapping[str, Any], label: str, rig: str) -> Rows:
    return [row for row in scenario["checks"] if (row["label"], row["bed"]) == (label, rig)]


def _view(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    rows, label = scenario["rows"], view.LABEL
    yield Goal("view mix: CPU, ours / iipsrv", ratio(rows, label, _CPU, OURS, PLAIN), "≤", 0.6)
    yield Goal(
        "view mix: requests/s, ours / iipsrv", ratio(rows, label, _SPEED, OURS, PLAIN), "≥", 1.5
    )
    tile, thumb = "classes.tile.p99_ms", "classes.!128.p99_ms"
    yield Goal("view mix: tile p99, ours, ms", _median(rows, label, tile, OURS), "≤", 10)
    yield Goal("view mix: thumbnail p99, ours, ms", _median(rows, label, thumb, OURS), "≤", 20)
    yield Goal("view mix: tile p99, iipsrv, ms", _median(rows, label, tile, PLAIN), ">", 100)
    yield Goal("view mix: CPU, tile-caching iipsrv / ours", ratio(rows, label, _CPU, CACHED, OURS))
    yield Goal(
        "view mix: CPU, ours with derivative cache / without",
        ratio(rows, label, _CPU, view.WITH_CACHE, OURS),
    )


def _collection(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    rows = scenario["rows"]
    for label in (collection.FIRST, collection.AGAIN):
        yield Goal(f"{label}: CPU, ours / iipsrv", ratio(rows, label, _CPU, OURS, PLAIN))
        yield Goal(
            f"{label}: CPU, ours / tile-caching iipsrv", ratio(rows, label, _CPU, OURS, CACHED)
        )
        yield Goal(f"{label}: requests/s, ours / iipsrv", ratio(rows, label, _SPEED, OURS, PLAIN))


def _giants(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    rows, what = [row for row in scenario["rows"] if row["bed"] == OURS], giants.LABEL
    peak = max(row["resident_bytes_peak"] for row in rows) / 1e6
    refused = sum(row["refused_with_retry_after"] for row in rows)
    others = sum(row["refused_without"] + row["other_failures"] for row in rows)
    yield Goal(f"{what}: peak memory of all rounds, MB", round(peak), "≤", _RESIDENT_MB)
    yield Goal(f"{what}: answered 503 with Retry-After", refused)
    yield Goal(f"{what}: other failures", others, "=", 0)
    yield Goal(f"{what}: tile failures", sum(row["tile_failures"] for row in rows), "=", 0)
    for when in ("alone", "meanwhile"):
        p99 = _median(rows, what, f"tiles_{when}.p99_ms", OURS)
        yield Goal(f"{what}: tile p99 {when}, ms", p99)


def _endurance(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    first, last = (row["gateway_resident_bytes"] for row in scenario["rows"])
    yield Goal(
        "gateway memory after 200,000 tiles / after 20,000", round(last / first, 3), "≤", 1.1
    )


def _replay(scenario: Mapping[str, Any]) -> Iterator[Goal]:
    for row in scenario["rows"]:
        what = f"{row['requests']:,} Universal Viewer requests: failures of {row['bed']}"
        yield Goal(what, row["failures"], *_if(row["bed"] == OURS, "=", 0))


_GOALS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Goal]]] = {
    "tiles": _tiles,
    "edges": _edges,
    "view": _view,
    "collection": _collection,
    "giants": _giants,
    "endurance": _endurance,
    "replay": _replay,
}
