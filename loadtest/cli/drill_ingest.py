"""`vitrine-loadtest drill ingest`: ingest under duplicates, faults and kills loses nothing."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson

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
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.drills.ingest.drill_options import killing_everything, scale_orders
    from loadtest.drills.ingest.drill_report import format_table
    from loadtest.drills.ingest.ingest_drill import broken_promises, run_drill

    name = "drill-kill-everything" if kill_everything else "drill"
    if kill_everything:
        orders = killing_everything(masters or 100, seed, keep)
    else:
        orders = scale_orders(masters or 1_000, seed, keep)
    figures = measure_or_exit(lambda: run_drill(orders, scratch, print_progress))
    (dated_folder(name, results) / "table.md").write_text(format_table(figures))
    save_and_print(name, figures, results, as_json, format_table(figures))
    for sentence in broken_promises(figures):
        print_message(f"{sentence}")
    if broken_promises(figures):
        raise typer.Exit(UNSUCCESSFUL)
