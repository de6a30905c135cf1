"""What a run leaves behind: its figures with the machine they are of, and the page to look at."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loadtest.report.machine import describe

Page = Callable[[dict[str, Any], Mapping[str, Any]], str]


def save(name: str, figures: dict[str, Any], folder: Path, html: Page) -> dict[str, Any]:
    """Write `run.json` and `index.html` into the folder; the run."""
    machine = describe()
    run = {"bench": name, "figures": figures, "machine": machine}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")
    (folder / "index.html").write_text(html(figures, machine))
    return run
