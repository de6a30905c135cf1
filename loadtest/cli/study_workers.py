"""`vitrine-loadtest study workers`: QIS's tuning table for the processes of iipsrv."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Seed
from loadtest.cli.study_museum import SCRATCH, parse_numbers
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson


def workers(
    servers: Annotated[
        str, typer.Option(help="The servers to tune, from ours and iipsrv.")
    ] = "ours,iipsrv",
    processes: Annotated[
        str, typer.Option(help="How many processes of iipsrv, stage by stage.")
    ] = "1,2,4",
    clients: Annotated[
        str, typer.Option(help="How many clients at once, stage by stage.")
    ] = "2,4,10",
    cache_percents: Annotated[
        str, typer.Option(help="Percentages of requests that were sent before, stage by stage.")
    ] = "100,80",
    requests: Annotated[int, typer.Option(min=1, help="The most requests in a round.")] = 20_000,
    seconds: Annotated[
        float, typer.Option(min=0.2, help="The longest a round may take, in seconds.")
    ] = 2,
    rounds: Rounds = 5,
    seed: Seed = 2019,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "workers",
    as_json: AsJson = False,
) -> None:
    """Measure iipsrv with different numbers of processes and clients, as in QIS's table.

    The result is requests per second and the slowest response.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was measured.
    """
    from loadtest.studies.workers.workers_report import REPORT
    from loadtest.studies.workers.workers_study import WorkersStudy, compare_processes

    def measure(watch: Watch) -> Figures:
        study = WorkersStudy(
            servers=[name.strip() for name in servers.split(",") if name.strip()],
            processes=parse_numbers(processes, "--processes"),
            clients=parse_numbers(clients, "--clients"),
            cache_percents=parse_numbers(cache_percents, "--cache-percents", least=0),
            requests=requests,
            seconds=seconds,
            rounds=rounds,
            seed=seed,
            scratch=scratch,
        )
        return compare_processes(study, print_progress, watch)

    def all_right(run: Figures) -> bool:
        return not any(row["failures"] for row in (*run["checks"], *run["rounds"]))

    run_study(REPORT, measure, all_right, results, name, as_json)
