"""`vitrine collection export`: everything that is published, as plain files."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployed_services import deployed_export_services
from vitrine.cli.collection.display import show_progress
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message, show_count
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.export.bag import TAG_MANIFEST
from vitrine.export.export import DiskUnfit, Export, ExportProgress
from vitrine.export.export import export as export_everything
from vitrine.export.ledger import ExportBusy
from vitrine.export.services import ExportOptions, ExportServices, Pictures

SHOWN = 20
"""Faults that the terminal shows; `--json` has all."""
_KINDS = {
    "Live": "images",
    "Redirect": "redirects",
    "Gone": "tombstones",
    "Described": "objects and collections",
    "Renamed": "redirects of objects",
    "TakenDown": "tombstones of objects",
}
"""Names of the counts of records."""


def export(
    folder: Annotated[
        Path, typer.Argument(help="Where to write; an earlier export is updated.", metavar="FOLDER")
    ],
    pictures: Annotated[
        Pictures,
        typer.Option(
            help="Which file of each image to write: its master, its access master, or none."
        ),
    ] = "masters",
    static: Annotated[
        bool,
        typer.Option(
            "--static",
            help="Also write a tree of tiles and manifests that any web server can show.",
        ),
    ] = False,
    base: Annotated[
        str,
        typer.Option(
            help="The address at which FOLDER/data/site will be on the web.", metavar="URL"
        ),
    ] = "http://localhost:8000",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how much it is, but write no picture.")
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Write everything that is published into FOLDER, as plain files with checksums (BagIt).

    Pictures, records, manifests of both versions, redirects and tombstones. It may be stopped at
    any moment: the same command continues. Run again later, it writes what has changed since and
    removes what is no longer published. `vitrine collection import` reads it back.

    Exit code 0: all is there. 1: something could not be written, or is damaged, and is named. 2:
    wrong usage, the disk is too small, or the service is not running.
    """
    options = ExportOptions(pictures=pictures, static_base=_base(base) if static else "")
    folder = folder.absolute()
    if not folder.parent.is_dir():
        stop(f"There is no folder {folder.parent} to write the export into.")
    with connected(environment):
        done = _export(deployed_export_services(environment), options, folder, dry_run, as_json)
    if as_json:
        print_json(_as_json(done))
    elif not dry_run:
        print_lines(_lines(done, folder, options))
    if done.faults or done.left_out:
        raise typer.Exit(UNSUCCESSFUL)


def _export(
    services: ExportServices, options: ExportOptions, folder: Path, dry_run: bool, quiet: bool
) -> Export:
    """Export with progress on standard error, after saying how much it will be.

    Ends the command if the disk is too small, or another export writes into the folder.
    """
    with _refusals(), ExitStack() as stack:
        found = stack.enter_context(show_count("records read"))
        bars: list[Callable[[int], None]] = []

        def predict(predicted: Export) -> None:
            stack.close()
            if not quiet:
                print_lines(_prediction_lines(predicted, folder))
            if dry_run:
                return
            units = predicted.waiting["units"]
            bars.append(stack.enter_context(show_progress("units", units, quiet=quiet)))

        progress = ExportProgress(
            found=found, predicted=predict, written=lambda done: bars[0](done)
        )
        return export_everything(services, options, folder, only_predict=dry_run, progress=progress)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except (DiskUnfit, ExportBusy) as error:
        stop(str(error))


def _prediction_lines(done: Export, folder: Path) -> Iterator[str]:
    for kind, words in _KINDS.items():
        if count := done.counts[kind]:
            yield f"{count:>12,} {words}"
    free = shutil.disk_usage(folder).free
    yield f"To write: about {_bytes(done.waiting['bytes'])}; the disk has {_bytes(free)} left"


def _lines(done: Export, folder: Path, options: ExportOptions) -> Iterator[str]:
    if done.removed:
        yield f"No longer published, and removed: {done.removed:,}"
    if done.left_out:
        yield f"Damaged, and left out as it is now: {len(done.left_out):,}"
        for sentence in done.left_out[:SHOWN]:
            print_message(sentence)
    if done.faults:
        yield f"{done.written:,} were written, {len(done.faults):,} were not; the export is open"
        for sentence in done.faults[:SHOWN]:
            print_message(sentence)
        return
    files, size = done.total["files"], done.total["bytes"]
    yield f"{files:,} files of {_bytes(size)} are complete; checksums: {folder / TAG_MANIFEST}"
    if options.static_base:
        yield (
            f"To see it: python3 -m http.server --directory {folder / 'data' / 'site'}; the "
            f"addresses begin with {options.static_base}"
        )


def _as_json(done: Export) -> dict[str, Any]:
    return {
        "records": {words: done.counts[kind] for kind, words in _KINDS.items()},
        "to_write": done.waiting,
        "written": done.written,
        "removed": done.removed,
        "faults": done.faults,
        "left_out": done.left_out,
        "total": done.total,
    }


def _base(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        stop(f"--base {text!r} is no address: it begins with https:// or http://.")
    return text.rstrip("/")


def _bytes(count: int) -> str:
    size, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
