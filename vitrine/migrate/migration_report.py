"""The report of a migration: a plain dictionary whose keys are stable."""

from dataclasses import asdict
from typing import Any

from vitrine.migrate.plan import CAUSE, MigrationPlan
from vitrine.migrate.planned_row import UNSUCCESSFUL, State
from vitrine.migrate.price import Work, estimate
from vitrine.migrate.tolerance import Tolerance

WORKED = "worked_seconds"
MEGA = 1_000_000


def build_report(plan: MigrationPlan, tolerance: Tolerance, region: str = "") -> dict[str, Any]:
    """Return the whole report; `unsuccessful` names every single row, by reason."""
    counts = plan.counts()
    work = _sum_work(plan, counts)
    seconds = float(plan.fact(WORKED) or 0)
    return {
        "source": plan.fact("source"),
        "environment": plan.fact("environment"),
        "begun_at": plan.fact("begun_at"),
        "ended_at": plan.fact("ended_at"),
        "complete": counts["waiting"] == 0,
        "cause": plan.fact(CAUSE),
        "tolerated_percent": tolerance.percent,
        "tolerated": tolerance.tolerates(counts),
        "rows": sum(counts.values()),
        "counts": counts,
        "master_bytes": work.master_bytes,
        "access_master_bytes": work.access_master_bytes,
        "pixels": work.pixels,
        "imported": work.imported,
        "worked_seconds": round(seconds, 1),
        "megapixels_per_second": _divide(work.pixels / MEGA, seconds),
        "images_per_hour": _divide(work.images * 3_600, seconds),
        "cost": asdict(estimate(work, region)),
        "unsuccessful": [
            {
                "state": state,
                "code": code,
                "count": count,
                "rows": list(plan.unsuccessful(state, code)),
            }
            for (state, code), count in plan.reasons().items()
        ],
    }


def is_successful(report: dict[str, Any]) -> bool:
    """Return True if all rows have results, none failed, and the rest is within the tolerance."""
    return bool(report["complete"] and report["tolerated"] and not report["counts"]["failed"])


def _sum_work(plan: MigrationPlan, counts: dict[State, int]) -> Work:
    master_bytes, access_master_bytes, pixels = plan.sums("published")
    return Work(
        images=counts["published"],
        checked=counts["unchanged"]
        + counts["withdrawn"]
        + sum(counts[state] for state in UNSUCCESSFUL),
        imported=plan.imported(),
        master_bytes=master_bytes,
        access_master_bytes=access_master_bytes,
        pixels=pixels,
    )


def _divide(amount: float, seconds: float) -> float:
    return round(amount / seconds, 2) if seconds else 0.0
