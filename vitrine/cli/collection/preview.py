"""`vitrine collection preview`: objects as they would look, in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection.display import show_progress
from vitrine.cli.collection.file import Rules, open_rules, usable
from vitrine.cli.console.environment import DEFAULT, Environment
from vitrine.cli.console.printing import print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, stop
from vitrine.iiif.size import Limits
from vitrine.settings.deliver import DeliverSettings
from vitrine.sources.mapping.masters_folder import PREVIEW
from vitrine.sources.mapping.preview import choose, draw_object
from vitrine.sources.updates.open_mapper import open_mapper

FIRST = 12
"""Objects on the page, unless some are named."""


def preview(
    rules: Rules,
    identifiers: Annotated[
        list[str] | None,
        typer.Argument(
            help="Identifiers of the objects to show; without any, the first ones are shown.",
            metavar="[ID...]",
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write the page and its pictures to.",
            metavar="FOLDER",
            show_default="collection-preview next to FILE",
            file_okay=False,
        ),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the page in the browser.")
    ] = True,
    environment: Environment = DEFAULT,
) -> None:
    """Make a page that shows objects as they would look, with their manifests. Nothing is sent.

    Exit code 0: made. 1: there is no such object. 2: the file or the table is not usable.
    """
    from vitrine.cli.collection.preview_page import preview_page

    names = identifiers or []
    folder = into or rules.parent / PREVIEW
    limits = Limits(area=DeliverSettings.maximum_output_pixels)
    with usable():
        mapping, masters = open_rules(rules, environment)
        found = open_mapper(mapping, masters).objects()
        chosen = list(choose(found, set(names), len(names) or FIRST))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with show_progress("objects", len(chosen), quiet=False) as on_progress:
                drawn = []
                for mapped, notes in chosen:
                    drawn.append(draw_object(mapped, notes, folder, limits))
                    on_progress(len(drawn))
        except ImportError:
            stop("Pictures are drawn by libvips: install vitrine[ingest] for it.")
        page = folder / "index.html"
        title = f"Preview of {next(iter(mapping.label.values()))}"
        page.write_text(preview_page(title, drawn), encoding="utf-8")
    print_lines([str(page)])
    shown = {one.item.identifier for one, _ in chosen}
    for name in (missing := [name for name in names if name not in shown]):
        print_message(f'There is no object "{name}" to show: `vitrine collection check` says why.')
    if open_page and sys.stdout.isatty():
        typer.launch(str(page))
    if missing:
        raise typer.Exit(UNSUCCESSFUL)
