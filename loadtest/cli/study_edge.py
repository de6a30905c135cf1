"""`vitrine-loadtest study edge`: which of the viewers' requests reach the origin."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.program import UNSUCCESSFUL, AsJson, print_message


def edge(
    visits: Annotated[int, typer.Option(min=1, help="Viewer sessions to replay.")] = 40,
    request_lists: Annotated[
        Path | None, typer.Option(help="Folder of the published Universal Viewer requests.")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    as_json: AsJson = False,
) -> None:
    """Replay viewer sessions and spellings of a request through the edge. Needs no service."""
    from loadtest.cli.raw_run import dated_folder, measure_or_exit, print_progress, save_and_print
    from loadtest.studies.edge.edge_report import table
    from loadtest.studies.edge.edge_study import broken, measure_edge

    figures = measure_or_exit(lambda: measure_edge(visits, request_lists, print_progress))
    (dated_folder("edge", results) / "table.md").write_text(table(figures))
    save_and_print("edge", figures, results, as_json, table(figures))
    sentences = broken(figures)
    for sentence in sentences:
        print_message(f"not as promised: {sentence}")
    if sentences:
        raise typer.Exit(UNSUCCESSFUL)
