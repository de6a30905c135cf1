"""A run on disk: its figures with the machine they were measured on, and a page to look at."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtest.report.document import Heading, Part, html_page, machine_part
from loadtest.report.machine import describe_machine

Figures = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Report:
    """How a study, a drill or a load test presents what it measured."""

    bench: str
    """The name in `run.json`."""
    title: str
    parts: Callable[[Figures], Sequence[Part]]
    """Parts of the page; a terminal shows them without the charts."""
    write_tables: Callable[[Figures, Path], object] = lambda figures, folder: None
    """Writes CSV files into a folder."""


def save_run(report: Report, figures: Figures, folder: Path) -> dict[str, Any]:
    """Write `run.json`, `index.html` and the tables into a folder, made if needed; return the run.

    The page also has the machine, and the versions that the figures name.
    """
    machine = describe_machine()
    run = {"bench": report.bench, "figures": figures, "machine": machine}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(run, folder / "run.json")
    environment = machine_part({**machine, **figures.get("versions", {})})
    parts = [*report.parts(figures), Heading("Machine"), environment]
    (folder / "index.html").write_text(html_page(report.title, parts))
    report.write_tables(figures, folder)
    return run


def write_json(run: Mapping[str, Any], path: Path) -> None:
    """Write a raw result as JSON without any space: the repository keeps the best of them."""
    path.write_text(json.dumps(run, separators=(",", ":")) + "\n")
