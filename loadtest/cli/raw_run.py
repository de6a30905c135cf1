"""Measure, keep the raw result, and print it, for drills and the plainest studies."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from loadtest.cli.clean_tree import require_clean_tree
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL
from vitrine.errors import VitrineError


def measure_or_exit(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of a run that is going to be saved.

    Exit code 1 if it failed, 2 if the working tree is dirty.
    """
    require_clean_tree()
    try:
        return run()
    except (VitrineError, RuntimeError, OSError) as error:
        print_message(f"{error}")
        raise typer.Exit(UNSUCCESSFUL) from None


def save_and_print(
    name: str, figures: dict[str, Any], results: Path, as_json: bool, text: str = ""
) -> None:
    """Save the figures in today's folder of that name; print them as `text`, or else as lines."""
    from loadtest.report.saved_run import write_run

    folder = dated_folder(name, results)
    run = write_run(name, figures, folder)
    if as_json:
        print(json.dumps(run, indent=2))
        return
    lines = [f"{key.replace('_', ' '):28} {value}" for key, value in figures.items()]
    print(text or "\n".join(lines))
    print(f"{'raw results':28} {folder / 'run.json'}")


def dated_folder(name: str, results: Path) -> Path:
    """Return today's folder of that name, which is made if needed."""
    folder = results / f"{datetime.now(UTC):%Y-%m-%d}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def print_progress(line: str) -> None:
    """Print a line on standard error."""
    typer.echo(line, err=True)
