"""`vitrine-loadtest drill ingest`: ingest under duplicates, faults and kills loses nothing."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from loadtest.cli.study_run import fresh_folder, print_progress, run_drill
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/drill")


def ingest(
    masters: Annotated[
        int | None,
        typer.Option(
            min=12,
            help="How many masters to upload.",
            show_default="1000, or 100 with --kill-everything",
        ),
    ] = None,
    kill_everything: Annotated[
        bool, typer.Option("--kill-everything", help="Do nothing but kill every process halfway.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed: another seed makes another drill.")] = 1,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the service's folder afterwards, with its logs.")
    ] = False,
    scratch: Annotated[Path, typer.Option(help="Folder for the drill's own service.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Upload masters to a service of its own amid faults and kills; account for every one.

    Exit code 0: every promise holds. 1: one is broken, or the drill failed.
    """
    from loadtest.drills.ingest.drill_options import killing_everything, scale_orders
    from loadtest.drills.ingest.drill_report import REPORT
    from loadtest.drills.ingest.ingest_drill import broken_promises, measure_ingest

    name = "drill-kill-everything" if kill_everything else "drill"
    if kill_everything:
        orders = killing_everything(masters or 100, seed, keep)
    else:
        orders = scale_orders(masters or 1_000, seed, keep)
    run_drill(
        REPORT,
        lambda: measure_ingest(orders, scratch, print_progress),
        broken_promises,
        fresh_folder(results, name),
        as_json,
    )
