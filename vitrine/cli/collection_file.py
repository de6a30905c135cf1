"""The file of rules that every `vitrine collection` command reads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.program import stop
from vitrine.errors import MigrationUnusable
from vitrine.present.mapping.mapping_file import MappingUnusable

Rules = Annotated[
    Path,
    typer.Argument(
        help="The file that says which columns become what.", metavar="FILE", exists=True
    ),
]


@contextmanager
def usable() -> Iterator[None]:
    """End the command with the sentence of a file that cannot be used."""
    try:
        yield
    except (MappingUnusable, MigrationUnusable, OSError) as error:
        sys.stdout.flush()
        stop(f"{error}." if not str(error).endswith(".") else str(error))
