"""`vitrine bench photos`: Baresoil's benchmark, agents that send photographs to our ingest."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.bench_bar import rounds_bar
from vitrine.cli.environment import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import VitrineError

SCRATCH = Path(".build/photos")


def photos(
    agents: Annotated[int, typer.Option(min=1, max=256, help="That send at once.")] = 4,
    photos: Annotated[int, typer.Option(min=1, help="Photographs, all agents together.")] = 60,
    seed: Annotated[int, typer.Option(help="Equal seeds send the same in the same order.")] = 2019,
    scratch: Annotated[Path, typer.Option(help="Folder for photos and the service.")] = SCRATCH,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[
        str, typer.Option(help="Of the run's folder in it, behind the date.")
    ] = "photos",
    as_json: AsJson = False,
) -> None:
    """Send photographs of 9 to 11 MB to a service of its own: images and dollars an hour.

    Exit code 0: all were published. 1: some were not, or it was interrupted (what was measured is
    kept, and marked), or it failed. 2: it was interrupted before the first was sent.
    """
    from vitrine.cli import bench
    from vitrine.measure.photos.report import html, text, write_csv
    from vitrine.measure.photos.run import Study, measure_photos
    from vitrine.measure.studies.saved import save

    study = Study(agents=agents, photos=photos, seed=seed, scratch=scratch)
    try:
        with rounds_bar() as watch:
            figures = measure_photos(study, bench._say, watch)
    except (VitrineError, RuntimeError, OSError) as error:
        typer.echo(f"vitrine: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from None
    except KeyboardInterrupt:
        stop("Interrupted before anything was measured.")
    folder = bench._folder(name, results)
    saved = save("photos", figures, folder, html)
    write_csv(figures, folder)
    print(json.dumps(saved, indent=2) if as_json else f"{text(figures)}\n\n{folder}/index.html")
    if figures["errors"] or not figures["complete"]:
        raise typer.Exit(UNSUCCESSFUL)
