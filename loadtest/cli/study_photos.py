"""`vitrine-loadtest study photos`: Baresoil's benchmark: agents that upload photographs."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Scratch, Seed
from loadtest.cli.study_run import Report, run_study
from vitrine.cli.program import AsJson

SCRATCH = Path(".build/photos")


def photos(
    agents: Annotated[
        int, typer.Option(min=1, max=256, help="How many agents upload at once.")
    ] = 4,
    photos: Annotated[
        int, typer.Option(min=1, help="How many photographs all agents upload together.")
    ] = 60,
    seed: Seed = 2019,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "photos",
    as_json: AsJson = False,
) -> None:
    """Measure images and dollars per hour of uploads of photographs of 9 to 11 MB.

    Exit code 0: all were published. 1: some were not, or it was interrupted (what was measured is
    kept and marked). 2: nothing was measured.
    """
    from loadtest.cli.raw_run import print_progress
    from loadtest.studies.photos.photos_report import html, text, write_csv
    from loadtest.studies.photos.photos_study import PhotosStudy, measure_photos

    study = PhotosStudy(agents=agents, photos=photos, seed=seed, scratch=scratch)
    report = Report(
        bench="photos",
        text=text,
        html=html,
        write_tables=write_csv,
        all_right=lambda figures: not figures["errors"],
    )
    run_study(
        report, lambda watch: measure_photos(study, print_progress, watch), results, name, as_json
    )
