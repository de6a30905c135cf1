"""`vitrine ingest`: upload masters and follow them until they are published or rejected."""

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
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.follow import Followed, upload_and_follow
from vitrine.cli.program import UNSUCCESSFUL, AsJson, stop

PARALLEL = 4
"""Masters in flight at once: an emulator starts a process for each."""

Files = Annotated[list[Path], typer.Argument(help="The master images.", metavar="FILE")]
Identifier = Annotated[
    str | None,
    typer.Option(
        help="The image's identifier, if there is only one FILE.",
        show_default="the one that this file name had before, else the name without extension",
    ),
]
Timeout = Annotated[int, typer.Option(help="How long to wait for each master, in seconds.", min=1)]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ingest")(ingest)


def ingest(
    files: Files,
    identifier: Identifier = None,
    environment: Environment = DEFAULT,
    timeout: Timeout = 900,
    as_json: AsJson = False,
) -> None:
    """Upload master images and wait until each can be viewed.

    Exit code 0: all are published. 1: some were rejected or failed. 2: wrong usage, or the service
    is not running: nothing was uploaded.
    """
    _check(files, identifier)
    console = Console(soft_wrap=True)
    with (
        connected(environment) as service,
        _progress(console, as_json) as progress,
        ThreadPoolExecutor(PARALLEL) as pool,
    ):

        def ingest_one(file: Path) -> Followed:
            return _ingest_one(service, file, identifier, timeout, progress)

        followed = list(pool.map(ingest_one, files))
    if as_json:
        print(json.dumps([result.as_json() for result in followed], indent=2, ensure_ascii=False))
    else:
        for result in followed:
            _print_result(console, result)
    if any(result.state != "published" for result in followed):
        raise typer.Exit(UNSUCCESSFUL)


def _ingest_one(
    service: Deployment, file: Path, identifier: str | None, timeout: int, progress: Any
) -> Followed:
    if progress is None:
        return upload_and_follow(service, file, identifier, timeout)
    task = progress.add_task(file.name, total=file.stat().st_size, stage="uploading")

    def show_bytes(count: int) -> None:
        progress.update(task, advance=count)

    def show_stage(name: str) -> None:
        progress.update(task, stage=name)

    return upload_and_follow(service, file, identifier, timeout, show_bytes, show_stage)


def _check(files: list[Path], identifier: str | None) -> None:
    for file in files:
        if file.is_dir():
            command = f"vitrine masters migrate {quote(str(file))}"
            stop(f"{file} is a folder: ingest all of it with `{command}`.")
        if not file.is_file():
            stop(f"{file} is not a file.")
    if identifier is not None and len(files) > 1:
        stop("--identifier is for one image: give one FILE with it.")
    if identifier == "":
        stop("--identifier is empty.")
    repeated = [name for name, count in Counter(file.name for file in files).items() if count > 1]
    if repeated:
        stop(f"Two files are called {repeated[0]}, and one would replace the other: rename one.")


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


def _print_result(console: Console, result: Followed) -> None:
    def print_line(text: str) -> None:
        console.print(text, markup=False, highlight=False)

    if result.state == "published":
        print_line(f"{result.file}: published as {result.identifier} in {result.seconds:.1f} s")
        print_line(f"  {result.info_url}")
        for note in result.notes:
            print_line(f"  note: {note}")
        return
    print_line(f"{result.file}: {result.state} after {result.seconds:.1f} s")
    print_line(f"  {result.sentence}")
    if result.code:
        print_line(f"  code {result.code}" + (f", seen: {result.value}" if result.value else ""))
