"""`vitrine-loadtest study edge`: which of the viewers' requests reach the origin."""

from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, RequestLists, Results
from vitrine.cli.printing import print_message
from vitrine.cli.program import UNSUCCESSFUL, AsJson


def edge(
    visits: Annotated[int, typer.Option(min=1, help="How many viewer sessions to replay.")] = 40,
    request_lists: RequestLists = None,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Replay viewer sessions through the edge, and count the requests that reach the origin.

    Needs no service. Exit code 0: as few as promised. 1: more, or it failed.
    """
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.studies.edge.edge_report import table
    from loadtest.studies.edge.edge_study import broken, measure_edge

    figures = measure_or_exit(lambda: measure_edge(visits, request_lists, print_progress))
    (dated_folder("edge", results) / "table.md").write_text(table(figures))
    save_and_print("edge", figures, results, as_json, table(figures))
    sentences = broken(figures)
    for sentence in sentences:
        print_message(f"A promise is broken: {sentence}")
    if sentences:
        raise typer.Exit(UNSUCCESSFUL)
