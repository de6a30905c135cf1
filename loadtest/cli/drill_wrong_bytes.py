"""`vitrine-loadtest drill wrong-bytes`: no answer holds bytes that were not written."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/studies")


def wrong_bytes(
    rounds: Annotated[
        int, typer.Option(min=1, help="How often each part requests all addresses.")
    ] = 20,
    clients: Annotated[int, typer.Option(min=1, max=200, help="How many clients at once.")] = 4,
    scratch: Annotated[Path, typer.Option(help="Folder for the picture.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Change what the store sends and what the disk keeps, under load, and check every answer.

    Needs no service. Exit code 0: no byte was wrong and no request failed, though some may have
    been refused. 1: a byte was wrong, a request failed, or the drill did.
    """
    from loadtest.cli.raw_run import measure_or_exit, print_progress, save_and_print
    from loadtest.drills.wrong_bytes import broken_promises, format_table, run_drill

    figures = measure_or_exit(
        lambda: run_drill(rounds=rounds, clients=clients, scratch=scratch, progress=print_progress)
    )
    save_and_print("wrong-bytes", figures, results, as_json, format_table(figures))
    for sentence in broken_promises(figures):
        print_message(sentence)
    if broken_promises(figures):
        raise typer.Exit(UNSUCCESSFUL)
