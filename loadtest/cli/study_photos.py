"""`vitrine-loadtest study photos`: Baresoil's benchmark, agents that send photographs to ingest."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.study_run import Report, run_study
from vitrine.cli.program import AsJson

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
    kept, and marked). 2: nothing was measured.
    """
    from loadtest.cli.raw_run import print_progress
    from loadtest.studies.photos.photos_report import html, text, write_csv
    from loadtest.studies.photos.photos_study import Study, measure_photos

    study = Study(agents=agents, photos=photos, seed=seed, scratch=scratch)
    told = Report(
        bench="photos",
        text=text,
        html=html,
        write_tables=write_csv,
        all_right=lambda figures: not figures["errors"],
    )
    run_study(
        told, lambda watch: measure_photos(study, print_progress, watch), results, name, as_json
    )
