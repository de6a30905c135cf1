"""What the studies of `vitrine bench` share: a bar, a folder for the run, and how they end."""

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
from vitrine.cli.program import UNSUCCESSFUL, stop
from vitrine.errors import VitrineError

Figures = dict[str, Any]
Watch = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, kw_only=True)
class Report:
    """How a study tells what it measured."""

    bench: str
    """What `run.json` calls it."""
    text: Callable[[Figures], str]
    html: Callable[[Figures, Mapping[str, Any]], str]
    write_tables: Callable[[Figures, Path], None]
    """CSV files, into a folder."""
    all_right: Callable[[Figures], bool]
    """Whether every answer was."""


def run_study(
    report: Report, measure: Callable[[Watch], Figures], results: Path, name: str, as_json: bool
) -> None:
    """Measure, keep the run in a folder of its own, and tell of it.

    Exit code 1: an answer was wrong, or it was interrupted. 2: nothing was measured.
    """
    from loadtest.report.saved_run import save

    require_clean_tree()
    folder = fresh_folder(results, name)
    try:
        with rounds_bar() as watch:
            figures = measure(watch)
    except typer.Exit:
        # Is a RuntimeError, too; its sentence is told already.
        raise
    except (VitrineError, RuntimeError, OSError) as error:
        stop(str(error))
    except KeyboardInterrupt:
        stop("Interrupted before anything was measured.")
    run = save(report.bench, figures, folder, report.html)
    report.write_tables(figures, folder)
    words = report.text(figures)
    (folder / "table.txt").write_text(words + "\n")
    print(json.dumps(run, indent=2) if as_json else f"{words}\n\n{folder}/index.html")
    if not figures["complete"] or not report.all_right(figures):
        raise typer.Exit(UNSUCCESSFUL)


def fresh_folder(results: Path, name: str) -> Path:
    """Where a run of today and this name goes; a second one gets a number behind it, so that no
    run is lost. It is not made yet.

    Exit code 2 where nothing can be written: said before hours are spent.
    """
    require_writable(results, f"--results {results}")
    dated = f"{datetime.now(UTC):%Y-%m-%d}-{name}"
    folder, number = results / dated, 1
    while folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        number += 1
        folder = results / f"{dated}-{number}"
    return folder


def require_writable(folder: Path, what: str) -> None:
    """Exit code 2 where no file can be made in it, or in the next folder above that there is;
    `what` names the option."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        reason = error.strerror or str(error)
    stop(f"{what}: nothing can be written to {folder} ({reason}); name another folder.")
