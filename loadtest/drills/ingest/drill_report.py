"""What a drill of ingest did, and what became of its masters."""

from collections.abc import Mapping
from typing import Any

from loadtest.report.document import Part, Table
from loadtest.report.saved_run import Report

Figures = Mapping[str, Any]


def report_parts(figures: Figures) -> list[Part]:
    """Return the report: what was done to the service, what became of the masters, the promises."""
    return [_deeds_table(figures), _ends_table(figures), _promises_table(figures)]


def _deeds_table(figures: Figures) -> Table:
    orders, calls, events = figures["orders"], figures["calls"], figures["events"]
    rows: list[tuple[str, object]] = [
        ("masters", orders["masters"]),
        *((f"- {role}", count) for role, count in figures["roles"].items()),
        ("uploads and deletions", figures["uploads_and_deletes"]),
        (
            "events of S3",
            _format_total(events["events"], twice=events["twice"], late=events["late"]),
        ),
        *(
            (f"calls of {name}, gone wrong", f"{total:,}, {_count_faulty(calls, name):,}")
            for name, total in calls["calls"].items()
        ),
        *((f"- {name}", count) for name, count in sorted(calls["faults"].items())),
        ("Lambdas killed", sum(figures["lambdas_killed"].values())),
        *((f"- {name}", count) for name, count in sorted(figures["lambdas_killed"].items())),
        *((item["trouble"], f"{item['seconds']} s") for item in figures["disruptions"]),
        ("settled after the last act", f"{figures['settled_after_the_last_act_seconds']} s"),
        ("redriven", ", then ".join(map(str, figures["redriven"]))),
        ("the reconciler tagged", figures["reconciled"].get("superseded", 0)),
    ]
    return Table("Done", ("", ""), [(name, str(value)) for name, value in rows])


def _format_total(total: int, **parts: int) -> str:
    return f"{total:,}, " + ", ".join(f"{count} {name}" for name, count in parts.items())


def _count_faulty(calls: Figures, service: str) -> int:
    faults: Mapping[str, int] = calls["faults"]
    return sum(count for name, count in faults.items() if name.startswith(f"{service} "))


def _ends_table(figures: Figures) -> Table:
    before, after = figures["settled"]["ends"], figures["at the end"]["ends"]
    names = sorted(before.keys() | after.keys())
    rows = [(name, str(before.get(name, 0)), str(after.get(name, 0))) for name in names]
    rows += [
        (f"failed: {code}", str(count), "")
        for code, count in figures["settled"]["failed_by_code"].items()
    ]
    return Table("What became of the masters", ("", "settled", "redriven, reconciled"), rows)


def _promises_table(figures: Figures) -> Table:
    found = [
        (item["promise"], when, f"{item['checked']:,}", str(len(item["broken"])))
        for when in ("settled", "at the end")
        for item in figures[when]["promises"]
    ]
    bad = frozenset((number, 3) for number, row in enumerate(found) if row[3] != "0")
    return Table("Promises", ("promise", "when", "checked", "broken"), found, words=2, bad=bad)


REPORT = Report(bench="drill", title="Ingest amid faults and kills", parts=report_parts)
