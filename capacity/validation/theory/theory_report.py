"""The engine against theory: the run, and its report."""

from collections.abc import Mapping, Sequence
from typing import Any

from capacity.replications import run_all
from capacity.validation.theory.theory_checks import CHECKS, CONFIDENCE, CUSTOMERS, simulate
from loadtest.report.document import Part, Table, Text


def check_theory(replications: int, seed: int, workers: int | None = None) -> dict[str, Any]:
    """Simulate every queue; a document for JSON, equal for equal arguments but for `speed`."""
    tasks = [(_simulate, (place, seed, replications)) for place in range(len(CHECKS))]
    intervals, spent = run_all(tasks, "Theory", workers)
    customers = 2 * CUSTOMERS * replications * len(CHECKS)
    return {
        "seed": seed,
        "replications": replications,
        "customers": 2 * CUSTOMERS,
        "confidence": CONFIDENCE,
        "rows": [
            {
                "queue": check.name,
                "measure": check.measure,
                "exact": check.exact,
                "simulated": found.mean,
                "half_width": found.half_width,
                "within": check.exact in found,
            }
            for check, found in zip(CHECKS, intervals, strict=True)
        ],
        "speed": {
            "requests": customers,
            "cpu_seconds": round(spent, 1),
            "requests_per_cpu_second": round(customers / spent),
        },
    }


def _simulate(place: int, seed: int, replications: int) -> Any:
    return simulate(CHECKS[place], seed, replications)


def theory_parts(run: Mapping[str, Any]) -> Sequence[Part]:
    """Return the report of a run."""
    return (
        Text(
            f"{run['replications']} replications of {run['customers']:,} customers each, the first "
            f"half not counted; intervals of {100 * run['confidence']:.1f} %. "
            f"{run['speed']['requests_per_cpu_second']:,} customers simulated per second and core."
        ),
        Table(
            "Queues with an exact solution",
            ("queue", "measure", "exact", "simulated", "within"),
            [
                (
                    row["queue"],
                    row["measure"],
                    f"{row['exact']:.4f}",
                    f"{row['simulated']:.4f} ± {row['half_width']:.4f}",
                    "yes" if row["within"] else "NO",
                )
                for row in run["rows"]
            ],
            words=2,
        ),
    )
