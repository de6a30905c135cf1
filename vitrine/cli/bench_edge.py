"""`vitrine bench edge`: what of the viewers' requests the edge lets through to the origin."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.environment import UNSUCCESSFUL, AsJson


def edge(
    visits: Annotated[int, typer.Option(min=1, help="Viewer sessions to replay.")] = 40,
    request_lists: Annotated[
        Path | None, typer.Option(help="Folder of the published Universal Viewer requests.")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    as_json: AsJson = False,
) -> None:
    """Replay viewer sessions and spellings of a request through the edge. Needs no service."""
    from vitrine.cli import bench
    from vitrine.measure.edge.report import table
    from vitrine.measure.edge.run import broken, measure_edge

    figures = bench._measure(lambda: measure_edge(visits, request_lists, bench._say))
    (bench._folder("edge", results) / "table.md").write_text(table(figures))
    bench._report("edge", figures, results, as_json, table(figures))
    sentences = broken(figures)
    for sentence in sentences:
        typer.echo(f"vitrine: not as promised: {sentence}", err=True)
    if sentences:
        raise typer.Exit(UNSUCCESSFUL)
