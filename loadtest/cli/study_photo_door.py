"""`vitrine-loadtest study photo-door`: Baresoil's benchmark on our photo door and others."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Seed
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson, stop

SCRATCH = Path(".build/photos")
DOORS = "ours,ours-form,ours-three,sharp,sharp-careful,ipx,iiif-processor,pillow,pillow-reduced"


def photo_door(
    doors: Annotated[str, typer.Option(help="Doors to measure, separated by commas.")] = DOORS,
    agents: Annotated[
        int, typer.Option(min=1, max=256, help="How many agents send photographs at once.")
    ] = 8,
    seconds: Annotated[
        float, typer.Option(min=1, help="How long agents begin photographs, in each round.")
    ] = 20.0,
    ramp: Annotated[float, typer.Option(min=0, help="Seconds until the last agent begins.")] = 4.0,
    rounds: Rounds = 3,
    seed: Seed = 2017,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "photo-door",
    as_json: AsJson = False,
) -> None:
    """Send photographs of 9 to 11 MB over TLS, and wait for thumbnails: images per hour and dollar.

    Each round starts every door in turn. Rivals are installed into .build/peers at their first use.
    Exit code 0: every photograph was answered. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was measured.
    """
    from loadtest.servers.photo_doors.engines import ENGINES
    from loadtest.studies.photo_door.photo_door_report import REPORT
    from loadtest.studies.photo_door.photo_door_study import (
        OURS,
        PhotoDoorStudy,
        measure_photo_doors,
    )

    engines = tuple(dict.fromkeys(one.strip() for one in doors.split(",") if one.strip()))
    unknown = [one for one in engines if one not in ENGINES]
    if unknown or not engines:
        stop(f"--doors {doors}: choose from {', '.join(ENGINES)}.")
    study = PhotoDoorStudy(
        engines=engines,
        agents=agents,
        seconds=seconds,
        ramp_seconds=ramp,
        rounds=rounds,
        seed=seed,
        scratch=scratch,
    )

    def measure(watch: Watch) -> Figures:
        return measure_photo_doors(study, print_progress, watch)

    def all_right(run: Figures) -> bool:
        ours = (door for door in run["doors"] if door["name"].startswith(OURS))
        return not any(door["errors"] for door in ours)

    run_study(REPORT, measure, all_right, results, name, as_json)
