"""`vitrine ingest`: upload masters and follow them until they are published or refused."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected, stop
from vitrine.cli.follow import Followed, upload_and_follow

PARALLEL = 4
"""Masters in flight at once: an emulator starts a process for each."""

Files = Annotated[list[Path], typer.Argument(help="Master images.", metavar="FILE")]
Identifier = Annotated[
    str | None,
    typer.Option(
        help="Identifier of the image, for one FILE; default: the one its key had before, or its "
        "name's stem."
    ),
]
Timeout = Annotated[int, typer.Option(help="Seconds to wait for each master.", min=1)]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("ingest")(ingest)


def ingest(
    files: Files,
    identifier: Identifier = None,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Upload master images and wait until each can be viewed.

    Exit code 0: all are published. 1: some were rejected or failed. 2: nothing was tried.
    """
    _check(files, identifier)
    console = Console(soft_wrap=True)
    with (
        connected(environment) as service,
        _progress(console, as_json) as progress,
        ThreadPoolExecutor(PARALLEL) as pool,
    ):

        def one(file: Path) -> Followed:
            return _one(service, file, identifier, timeout, progress)

        followed = list(pool.map(one, files))
    if as_json:
        print(json.dumps([result.as_json() for result in followed], indent=2, ensure_ascii=False))
    else:
        for result in followed:
            _print(console, result)
    if any(result.state != "published" for result in followed):
        raise typer.Exit(UNSUCCESSFUL)


def _one(
    service: Deployment, file: Path, identifier: str | None, timeout: int, progress: Any
) -> Followed:
    if progress is None:
        return upload_and_follow(service, file, identifier, timeout)
    task = progress.add_task(file.name, total=file.stat().st_size, stage="uploading")

    def sent(count: int) -> None:
        progress.update(task, advance=count)

    def stage(name: str) -> None:
        progress.update(task, stage=name)

    return upload_and_follow(service, file, identifier, timeout, sent, stage)


def _check(files: list[Path], identifier: str | None) -> None:
    for file in files:
        if file.is_dir():
            stop(f"{file} is a folder: take all of it by `vitrine migrate {quote(str(file))}`.")
        if not file.is_file():
            stop(f"{file} is not a file.")
    if identifier is not None and len(files) > 1:
        stop("--identifier names one image; give one FILE with it.")
    if identifier == "":
        stop("--identifier is empty.")
    twice = [name for name, count in Counter(file.name for file in files).items() if count > 1]
    if twice:
        stop(f"Two of the files are called {twice[0]}; one would replace the other.")


def _progress(console: Console, as_json: bool) -> AbstractContextManager[Progress | None]:
    if as_json or not console.is_terminal:
        return nullcontext()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )


def _print(console: Console, one: Followed) -> None:
    def line(text: str) -> None:
        console.print(text, markup=False, highlight=False)

    if one.state == "published":
        line(f"{one.file}: published as {one.identifier} in {one.seconds:.1f} s")
        line(f"  {one.info_url}")
        for note in one.notes:
            line(f"  note: {note}")
        return
    line(f"{one.file}: {one.state} after {one.seconds:.1f} s")
    line(f"  {one.sentence}")
    if one.code:
        line(f"  code {one.code}" + (f", seen: {one.value}" if one.value else ""))
