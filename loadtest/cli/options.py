"""Options that several commands of `vitrine-loadtest` share."""

from pathlib import Path
from typing import Annotated

import typer

RESULTS = Path("runs")
"""Ignored by git: what the documentation cites is kept with `--results results`."""

Results = Annotated[
    Path, typer.Option(help="Folder in which the run gets a dated folder of its own.")
]
Name = Annotated[str, typer.Option(help="Name of the run's folder, after the date.")]
Rounds = Annotated[int, typer.Option(min=1, max=50, help="How many times to measure each thing.")]
Seed = Annotated[int, typer.Option(help="Random seed: equal seeds make equal requests.")]
Scratch = Annotated[Path, typer.Option(help="Folder for the files that the run needs.")]
Tree = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Compare this checkout as well, as `before`, in the same rounds.",
    ),
]
