"""A run on disk: its figures with the machine they were measured on, and a page to look at."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loadtest.report.machine import describe_machine

Page = Callable[[dict[str, Any], Mapping[str, Any]], str]


def save_run(name: str, figures: dict[str, Any], folder: Path, html: Page) -> dict[str, Any]:
    """Write `run.json` and `index.html` into the folder, and return the run."""
    run = write_run(name, figures, folder)
    (folder / "index.html").write_text(html(figures, run["machine"]))
    return run


def write_run(name: str, figures: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write `run.json` into the folder, which is made if needed, and return the run."""
    run = {"bench": name, "figures": figures, "machine": describe_machine()}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(run, folder / "run.json")
    return run


def write_json(run: Mapping[str, Any], path: Path) -> None:
    """Write a raw result as JSON without any space: the repository keeps the best of them."""
    path.write_text(json.dumps(run, separators=(",", ":")) + "\n")
