"""`vitrine pyramid`: rewrite an existing pyramidal TIFF, directories first, pixels untouched."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.console.printing import print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, new_group
from vitrine.ingest.repair.relayout import relayout as relayout_file
from vitrine.store.tiff.entry import MalformedTiff

Source = Annotated[
    Path,
    typer.Argument(
        help="The pyramid: a tiled TIFF.", metavar="SOURCE", exists=True, dir_okay=False
    ),
]
Target = Annotated[
    Path, typer.Argument(help="The file to write.", metavar="TARGET", dir_okay=False)
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Make pyramids of other programs fast to open.")
    group.command("relayout")(relayout)
    app.add_typer(group, name="pyramid")


def relayout(source: Source, target: Target) -> None:
    """Rewrite a pyramid of libvips or ImageMagick so that one read opens it. No pixel changes.

    Exit code 0: written. 1: SOURCE is not a tiled pyramid, and nothing was written.
    """
    try:
        head_bytes = relayout_file(source, target)
    except MalformedTiff as error:
        print_message(f"{source} is not a tiled pyramid, so nothing was written: {error}")
        raise typer.Exit(UNSUCCESSFUL) from error
    print_lines([f"{target}: the first {head_bytes:,} bytes hold all directories and indexes"])
