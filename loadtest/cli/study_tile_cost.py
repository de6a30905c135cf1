"""`vitrine-loadtest study tile-cost`: a tile's CPU, first and repeated, next to a file's."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results, Rounds, Scratch
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/studies")


def tile_cost(
    tiles: Annotated[int, typer.Option(min=1, help="How many different tiles to request.")] = 500,
    seconds: Annotated[int, typer.Option(min=1, help="How long each part of a round takes.")] = 2,
    rounds: Rounds = 9,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare the CPU of a first and of a repeated tile with that of a static file from nginx.

    Servers have one core and the generator another. Needs no service. Exit code 0: no tile costs
    more than promised. 1: one does, or it failed.
    """
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.studies.tile_cost.tile_cost_report import chart, is_as_promised, table
    from loadtest.studies.tile_cost.tile_cost_study import TileCostStudy, measure_tile_cost

    study = TileCostStudy(tiles=tiles, rounds=rounds, seconds=seconds, scratch=scratch)
    figures = measure_or_exit(lambda: measure_tile_cost(study, print_progress))
    folder = dated_folder("tile-cost", results)
    (folder / "table.md").write_text(table(figures))
    (folder / "cpu.svg").write_text(chart(figures))
    save_and_print("tile-cost", figures, results, as_json, table(figures))
    if not is_as_promised(figures):
        raise typer.Exit(UNSUCCESSFUL)
