"""`vitrine relayout`: an existing pyramidal TIFF, directories first, pixels untouched."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.environment import UNSUCCESSFUL
from vitrine.ingest.repair.relayout import relayout as lay_out_anew
from vitrine.store.tiff.entry import MalformedTiff

Source = Annotated[
    Path, typer.Argument(help="A tiled pyramidal TIFF.", exists=True, dir_okay=False)
]
Target = Annotated[Path, typer.Argument(help="Where to write it anew.", dir_okay=False)]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("relayout")(relayout)


def relayout(source: Source, target: Target) -> None:
    """Write a pyramid of libvips or ImageMagick so that one read opens it. No pixel changes.

    Exit code 1: SOURCE is not a tiled pyramid, and nothing was written.
    """
    try:
        head_bytes = lay_out_anew(source, target)
    except MalformedTiff as error:
        typer.echo(f"{source}: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from error
    typer.echo(f"{target}: the first {head_bytes:,} bytes hold all directories and indexes")
