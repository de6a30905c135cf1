"""`vitrine-loadtest drill collection`: photographs and a spreadsheet, published amid kills."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Results
from vitrine.cli.printing import print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson

SCRATCH = Path(".build/collection-drill")


def collection(
    photographs: Annotated[int, typer.Option(min=4, help="How many photographs to publish.")] = 500,
    scratch: Annotated[Path, typer.Option(help="Folder for the drill's own service.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Publish real photographs by one command that is killed twice; compare every address.

    The photographs are those of Debian's wallpapers, fetched by apt (160 MB, once), and parts of
    them. Then the same command runs once more, with its calls counted.

    Exit code 0: all is published, once, and old addresses redirect. 1: it is not, or it failed.
    """
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.drills.collection.collection_drill import broken, run_drill
    from loadtest.drills.collection.collection_report import table

    shutil.rmtree(scratch, ignore_errors=True)
    figures = measure_or_exit(lambda: run_drill(photographs, scratch, print_progress))
    (dated_folder("collection", results) / "table.md").write_text(table(figures))
    save_and_print("collection", figures, results, as_json, table(figures))
    for sentence in broken(figures):
        print_message(sentence)
    if broken(figures):
        raise typer.Exit(UNSUCCESSFUL)
