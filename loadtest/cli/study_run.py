"""How a study runs: it shows a bar, keeps the run in a folder, and ends with an exit code."""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from loadtest.cli.clean_tree import require_clean_tree
from loadtest.cli.rounds_bar import rounds_bar
from vitrine.cli.console.program import UNSUCCESSFUL, stop
from vitrine.errors import VitrineError

Figures = dict[str, Any]
Watch = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, kw_only=True)
class Report:
    """How a study presents what it measured."""

    bench: str
    """The name of the study in `run.json`."""
    text: Callable[[Figures], str]
    html: Callable[[Figures, Mapping[str, Any]], str]
    write_tables: Callable[[Figures, Path], None]
    """Writes CSV files into a folder."""
    all_right: Callable[[Figures], bool]
    """True if every answer was right."""


def run_study(
    report: Report, measure: Callable[[Watch], Figures], results: Path, name: str, as_json: bool
) -> None:
    """Measure, keep the run in a folder of its own, and print it.

    End with exit code 1 if an answer was wrong or it was interrupted, with 2 if nothing was
    measured.
    """
    from loadtest.report.saved_run import save_run

    require_clean_tree()
    folder = fresh_folder(results, name)
    try:
        with rounds_bar() as watch:
            figures = measure(watch)
    except typer.Exit:
        # It is a RuntimeError too, but its sentence has been printed.
        raise
    except (VitrineError, RuntimeError, OSError) as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("It was interrupted before anything was measured.")
    run = save_run(report.bench, figures, folder, report.html)
    report.write_tables(figures, folder)
    text = report.text(figures)
    (folder / "table.txt").write_text(text + "\n")
    print(json.dumps(run, indent=2) if as_json else f"{text}\n\n{folder}/index.html")
    if not figures["complete"] or not report.all_right(figures):
        raise typer.Exit(UNSUCCESSFUL)


def fresh_folder(results: Path, name: str) -> Path:
    """Return the folder for a run of today and this name; it is not made yet.

    A second run of the day gets a number after the name, so that none is lost. Ends with exit code
    2 if nothing can be written there, before hours are spent.
    """
    require_writable(results, f"--results {results}")
    dated = f"{datetime.now(UTC):%Y-%m-%d}-{name}"
    folder, number = results / dated, 1
    while folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        number += 1
        folder = results / f"{dated}-{number}"
    return folder


def require_writable(folder: Path, what: str) -> None:
    """End with exit code 2 if no file can be made in a folder, or in its nearest existing parent.

    `what` names the option.
    """
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        reason = error.strerror or str(error)
    stop(f"{what}: nothing can be written to {folder} ({reason}); choose another folder.")
