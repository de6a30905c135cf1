"""What the code of two checkouts takes, in turns, and its report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.figures.request_figures import describe_interruption
from loadtest.report.document import Part, Table, Text, frame_parts
from loadtest.report.format_figure import format_figure
from loadtest.servers.pinning import Pinning
from loadtest.studies.interleaved_rounds import Say, StudyRun, Watch, interleave_turns
from vitrine.bootstrap.local_service import REPOSITORY

OURS, BEFORE = "ours", "before"
Values = Mapping[str, float]
"""Figures by what they are of, with their unit."""


def compare_trees(
    measure: Callable[[Path], Values],
    tree: Path | None,
    rounds: int,
    about: str,
    say: Say,
    watch: Watch,
) -> dict[str, Any]:
    """Return the figures that `measure` gives for this checkout and for `tree`, if there is one.

    `about` says in the report what was done. After Ctrl-C, figures are those until then. Raises
    KeyboardInterrupt before anything was measured, and what `measure` raises.
    """
    run, rows = StudyRun(say, watch, Pinning()), list[dict[str, Any]]()
    trees = {OURS: REPOSITORY} | ({BEFORE: tree.resolve()} if tree else {})
    with run.keep_partial(rows):
        for number, name in interleave_turns(list(trees), rounds):
            say(f"round {number} of {rounds}: {name}")
            rows.append({"round": number, "tree": name, "values": dict(measure(trees[name]))})
    return {
        **run.as_json(),
        "about": about,
        "rounds_of": rounds,
        "trees": {name: folder.name for name, folder in trees.items()},
        "medians": {name: _take_medians(rows, name) for name in trees},
        "rounds": rows,
    }


def _take_medians(rows: Sequence[Mapping[str, Any]], tree: str) -> dict[str, float]:
    own = [row["values"] for row in rows if row["tree"] == tree]
    return {label: round(median(row[label] for row in own), 3) for label in own[0]} if own else {}


def report_parts(figures: Mapping[str, Any]) -> list[Part]:
    """Return the report: the medians of each figure, and ours as a multiple of `before`."""
    medians = figures["medians"]
    ours, before = medians[OURS], medians.get(BEFORE, {})
    head = ["", OURS, *([BEFORE, "ratio"] if BEFORE in medians else [])]
    rows = []
    for label, value in ours.items():
        row = [label, format_figure(value)]
        if BEFORE in medians:
            other = before.get(label)
            ratio = value / other if other else None
            row += [format_figure(other), format_figure(ratio)]
        rows.append(row)
    text = f"{figures['about']} Medians of {figures['rounds_of']} rounds, in turns."
    parts: list[Part] = [Text(text), Table("Medians of the rounds", head, rows)]
    return frame_parts(_list_remarks(figures), parts)


def _list_remarks(figures: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    if not figures["complete"]:
        yield describe_interruption(figures), True
