"""What was lost in a drill of losses, and what came back."""

from collections.abc import Mapping
from typing import Any

from loadtest.report.document import Part, Table, Text
from loadtest.report.saved_run import Report


def report_parts(figures: Mapping[str, Any]) -> list[Part]:
    """Return the report: what was lost, how long it took to be whole again, what differs."""
    items = ", ".join(
        f"{count:,} {kind.replace('_', ' ')}" for kind, count in figures["items"].items()
    )
    rows = [
        (
            loss["lost"],
            f"{loss['commands_seconds']} s",
            f"{loss['whole_after_seconds']} s",
            str(sum(map(len, loss["different"].values()))),
        )
        for loss in figures["losses"]
    ]
    header = ("lost", "commands took", "whole again after", "not as before")
    return [Text(f"Compared after each loss: {items}."), Table("Losses", header, rows)]


REPORT = Report(bench="disaster", title="Losses and what came back", parts=report_parts)
