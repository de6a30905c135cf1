"""How a study or a drill runs: its run is kept in a folder, and it ends with an exit code."""

import json
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loadtest.cli.clean_tree import require_clean_tree
from loadtest.cli.rounds_bar import rounds_bar
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, stop
from vitrine.errors import VitrineError

if TYPE_CHECKING:
    from loadtest.report.saved_run import Report

Figures = dict[str, Any]
Watch = Callable[[str], Callable[[int, int], None]]


def run_study(
    report: "Report",
    measure: Callable[[Watch], Figures],
    all_right: Callable[[Figures], bool],
    results: Path,
    name: str,
    as_json: bool,
) -> None:
    """Measure, keep the run in a folder of its own, and print it.

    End with exit code 1 if an answer was wrong or it was interrupted, with 2 if nothing was
    measured.
    """
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
    _keep_run(report, figures, folder, as_json)
    if not figures["complete"] or not all_right(figures):
        raise typer.Exit(UNSUCCESSFUL)


def run_drill(
    report: "Report",
    measure: Callable[[], Figures],
    broken_promises: Callable[[Figures], Sequence[str]],
    folder: Path,
    as_json: bool,
) -> None:
    """Measure, keep the run in a folder, print it, and then each promise that was broken.

    End with exit code 1 if one was, or the drill failed.
    """
    require_clean_tree()
    try:
        figures = measure()
    except (VitrineError, RuntimeError, OSError) as error:
        print_message(f"{error}")
        raise typer.Exit(UNSUCCESSFUL) from None
    _keep_run(report, figures, folder, as_json)
    broken = broken_promises(figures)
    for sentence in broken:
        print_message(sentence)
    if broken:
        raise typer.Exit(UNSUCCESSFUL)


def _keep_run(report: "Report", figures: Figures, folder: Path, as_json: bool) -> None:
    # Imported here: no help waits for what draws charts.
    from loadtest.report.document import format_text
    from loadtest.report.saved_run import save_run

    run = save_run(report, figures, folder)
    text = format_text(report.parts(figures))
    (folder / "table.txt").write_text(text + "\n")
    print(json.dumps(run, indent=2) if as_json else f"{text}\n\n{folder}/index.html")


def print_progress(line: str) -> None:
    """Print a line on standard error."""
    typer.echo(line, err=True)


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
