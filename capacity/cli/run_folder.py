"""The output of a run of the simulator: a raw result, a text or a page."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from loadtest.cli.clean_tree import require_clean_tree_for

Seed = Annotated[int, typer.Option(help="Random seed: equal seeds give equal figures.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="How many processes.", show_default="one per core")
]
Html = Annotated[
    Path | None,
    typer.Option(dir_okay=False, help="Write a page to this file; it needs no other file."),
]
Results = Annotated[
    Path | None,
    typer.Option(
        file_okay=False,
        callback=require_clean_tree_for,
        help="Write the raw result into a dated folder in this one.",
        show_default="it is not written",
    ),
]


def write_report(
    kind: str,
    name: str,
    title: str,
    run: Mapping[str, Any],
    parts_of: Callable[[Mapping[str, Any]], Sequence[Any]],
    results: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Print the run, and write it to the files that were named.

    Its raw result is `name`.json in today's folder of this kind.
    """
    from loadtest.report import document
    from loadtest.report.saved_run import write_json
    from loadtest.report.source_commit import source_commit

    run = {**source_commit().as_json(), **run}
    if results:
        folder = results / f"{datetime.now(UTC):%Y-%m-%d}-capacity-{kind}"
        folder.mkdir(parents=True, exist_ok=True)
        write_json(run, folder / f"{name}.json")
    print(json.dumps(run, indent=1) if as_json else document.format_text(parts_of(run)))
    if html:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(document.html_page(title, parts_of(run)))
