"""What viewers feel and stations do in simulated stretches, by name."""

from collections.abc import Sequence

from capacity.confidence import confidence_interval
from capacity.model.day_outcome import DayOutcome

CONFIDENCE = 0.9


def figures_of(outcomes: Sequence[DayOutcome]) -> dict[str, dict[str, float]]:
    """Mean and half width of the interval of every figure that all have; times in milliseconds."""
    rows = [outcome_figures(outcome) for outcome in outcomes]
    found: dict[str, dict[str, float]] = {}
    for name in rows[0]:
        if all(name in row for row in rows):
            mean = confidence_interval([row[name] for row in rows], CONFIDENCE)
            found[name] = {"mean": mean.mean, "half_width": mean.half_width}
    return found


def outcome_figures(outcome: DayOutcome) -> dict[str, float]:
    """Return what viewers feel and stations do, by name; times in milliseconds."""
    times = {"p50": outcome.times.p50, "p95": outcome.times.p95, "p99": outcome.times.p99}
    times |= {f"p95 {name}": one.p95 for name, one in outcome.by_class.items() if one.requests}
    rest = {
        "edge hit ratio": outcome.edge_hit_ratio,
        "failed": outcome.failures / outcome.requests if outcome.requests else 0.0,
        "CPU percent": outcome.cpu_percent,
        "tasks at most": float(outcome.peak_tasks),
    }
    return {f"{name} ms": 1000 * seconds for name, seconds in times.items()} | rest
