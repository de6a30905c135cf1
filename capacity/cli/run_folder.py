"""What a run of the simulator leaves behind: a raw result, a text or a page."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

Seed = Annotated[int, typer.Option(help="Equal seeds give equal figures.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes. Default: one per core.")]
Html = Annotated[
    Path | None,
    typer.Option(dir_okay=False, help="Write one page that needs no other file."),
]
Results = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Folder for raw results, a subfolder each. Default: none."),
]


def report(
    kind: str,
    name: str,
    title: str,
    run: Mapping[str, Any],
    parts_of: Callable[[Mapping[str, Any]], Sequence[Any]],
    results: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Print the run, and write it into files where that is asked: its raw result is `name`.json in
    the day's folder of this kind."""
    from capacity.report import document

    raw = json.dumps(run, indent=1) + "\n"
    if results:
        folder = results / f"{datetime.now(UTC):%Y-%m-%d}-capacity-{kind}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(raw)
    print(raw if as_json else document.text(parts_of(run)), end="" if as_json else "\n")
    if html:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(document.html(title, parts_of(run)))
