"""The report of a migration as one self-contained page: no script, no font, no address."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from vitrine.cli.console.record_words import local_time
from vitrine.cli.pages.kit import KIT, render, stylesheet

SHOWN = 500
"""Rows of one reason on the page; the JSON report has all."""
MEGA, GIGA = 1e6, 1e9
NAMES = {
    "published": "published",
    "unchanged": "unchanged",
    "withdrawn": "withdrawn",
    "rejected": "rejected",
    "missing": "missing",
    "failed": "failed",
    "waiting": "not reached",
}


def migration_page(report: Mapping[str, Any]) -> str:
    """Return the HTML of a report of `vitrine.migrate.migration_report`."""
    return render(
        KIT / "migration.html",
        title=f"Migration of {report['source']}",
        style=stylesheet(KIT / "migration.css"),
        about=_about(report),
        verdict=_verdict(report),
        states=[
            (state, name, f"{report['counts'][state]:,}")
            for state, name in NAMES.items()
            if report["counts"][state]
        ],
        figures=_figures(report),
        reasons=list(_reasons(report)),
        cost=report["cost"],
    )


def _about(report: Mapping[str, Any]) -> str:
    zone = datetime.now().astimezone().tzname()
    begun = f", from {local_time(report['begun_at'])}" if report["begun_at"] else ""
    until = f" until {local_time(report['ended_at'])}" if report["ended_at"] else ""
    return f"Environment {report['environment']}{begun}{until} ({zone})."


def _verdict(report: Mapping[str, Any]) -> str:
    counts = report["counts"]
    viewable = counts["published"] + counts["unchanged"]
    if report.get("dry_run"):
        return f"A dry run: {counts['waiting']:,} of {report['rows']:,} rows would be migrated."
    if not report["complete"]:
        return (
            f"Not finished: {viewable:,} of {report['rows']:,} can be viewed, "
            f"{counts['waiting']:,} were not reached."
            + (f" The state machine failed: {report['cause']}" if report["cause"] else "")
        )
    return f"{viewable:,} of {report['rows']:,} can be viewed."


def _figures(report: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Masters read": _bytes(report["master_bytes"]),
        "Access masters written": _bytes(report["access_master_bytes"]),
        "Pixels": f"{report['pixels'] / MEGA:,.0f} megapixels",
        "Brought into the bucket": f"{report['imported']:,} masters",
        "Time at work": _duration(report["worked_seconds"]),
        "Rate": f"{report['images_per_hour']:,.0f} images/hour",
        "Speed": f"{report['megapixels_per_second']:,.1f} megapixels/s",
        "Tolerated": f"{report['tolerated_percent']:g} %",
    }


def _bytes(count: int) -> str:
    return f"{count / GIGA:,.2f} GB" if count >= GIGA else f"{count / MEGA:,.1f} MB"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _reasons(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for reason in report["unsuccessful"]:
        yield {
            **reason,
            "rows": reason["rows"][:SHOWN],
            "more": max(0, reason["count"] - SHOWN),
        }
