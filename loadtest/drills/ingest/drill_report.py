"""The table of a drill."""

from collections.abc import Mapping
from typing import Any

Figures = Mapping[str, Any]


def format_table(figures: Figures) -> str:
    """Markdown: what was done to the service, what became of the masters, the promises."""
    return "\n".join(
        (*_deeds_lines(figures), "", *_ends_lines(figures), "", *_promises_lines(figures), "")
    )


def _deeds_lines(figures: Figures) -> list[str]:
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
    return ["| done | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)]


def _format_total(total: int, **parts: int) -> str:
    return f"{total:,}, " + ", ".join(f"{count} {name}" for name, count in parts.items())


def _count_faulty(calls: Figures, service: str) -> int:
    faults: Mapping[str, int] = calls["faults"]
    return sum(count for name, count in faults.items() if name.startswith(f"{service} "))


def _ends_lines(figures: Figures) -> list[str]:
    before, after = figures["settled"]["ends"], figures["at the end"]["ends"]
    names = sorted(before.keys() | after.keys())
    return [
        "| became of the masters | settled | redriven, reconciled |",
        "|---|---:|---:|",
        *(f"| {name} | {before.get(name, 0)} | {after.get(name, 0)} |" for name in names),
        *(
            f"| failed: {code} | {count} | |"
            for code, count in figures["settled"]["failed_by_code"].items()
        ),
    ]


def _promises_lines(figures: Figures) -> list[str]:
    lines = ["| promise | when | checked | broken |", "|---|---|---:|---:|"]
    for when in ("settled", "at the end"):
        for item in figures[when]["promises"]:
            count = len(item["broken"])
            marked = f"**{count}**" if count else "0"
            lines.append(f"| {item['promise']} | {when} | {item['checked']:,} | {marked} |")
    return lines
