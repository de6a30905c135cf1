"""`vitrine-loadtest study workers`: QIS's tuning table, for the processes of iipsrv."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.study_museum import SCRATCH, numbers
from loadtest.cli.study_run import Figures, Report, Watch, run_study
from vitrine.cli.program import AsJson


def workers(
    servers: Annotated[str, typer.Option(help="Of ours, ours-iipsrv, iipsrv.")] = "ours,iipsrv",
    processes: Annotated[str, typer.Option(help="Of iipsrv, beside each other.")] = "1,2,4",
    clients: Annotated[str, typer.Option(help="At once, one after the other.")] = "2,4,10",
    cache_percents: Annotated[str, typer.Option(help="Asked for before.")] = "100,80",
    requests: Annotated[int, typer.Option(min=1, help="At most, in a round.")] = 20_000,
    seconds: Annotated[float, typer.Option(min=0.2, help="At most, of a round.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="For each line.")] = 5,
    seed: Annotated[int, typer.Option(help="Equal seeds ask for equal things.")] = 2019,
    scratch: Annotated[Path, typer.Option(help="Folder for access masters.")] = SCRATCH,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[
        str, typer.Option(help="Of the run's folder in it, behind the date.")
    ] = "workers",
    as_json: AsJson = False,
) -> None:
    """Tune iipsrv's processes: requests a second and worst response, as in QIS's table.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept, and marked). 2: nothing was measured.
    """
    from loadtest.cli.raw_run import print_progress
    from loadtest.studies.workers.workers_study import Study, tune

    def measure(watch: Watch) -> Figures:
        study = Study(
            servers=[name.strip() for name in servers.split(",") if name.strip()],
            processes=numbers(processes, "--processes"),
            clients=numbers(clients, "--clients"),
            cache_percents=numbers(cache_percents, "--cache-percents", least=0),
            requests=requests,
            seconds=seconds,
            rounds=rounds,
            seed=seed,
            scratch=scratch,
        )
        return tune(study, print_progress, watch)

    run_study(_report(), measure, results, name, as_json)


def _report() -> Report:
    from loadtest.studies.workers.workers_report import html, text, write_csv

    return Report(
        bench="workers",
        text=text,
        html=html,
        write_tables=lambda figures, folder: write_csv(figures, folder / "rows.csv"),
        all_right=lambda figures: (
            not any(row["failures"] for row in (*figures["checks"], *figures["rounds"]))
        ),
    )
