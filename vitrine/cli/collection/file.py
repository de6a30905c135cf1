"""The file of rules that every `vitrine collection` command reads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import foreign_buckets
from vitrine.cli.console.environment import OUT_OF_REACH, explain_out_of_reach, require_described
from vitrine.cli.console.program import stop
from vitrine.errors import MigrationUnusable
from vitrine.sources.mapping.buckets import fetch_table, find_masters
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.masters_folder import MasterFiles, folder_masters

Rules = Annotated[
    Path,
    typer.Argument(
        help="The file that says which columns become what.", metavar="FILE", exists=True
    ),
]


def open_rules(rules: Path, environment: str) -> tuple[MappingFile, MasterFiles]:
    """Return the rules with a table that is here, and the image files that they name.

    What is in buckets is read with the credentials of the environment. Raises MappingUnusable
    and OSError.
    """
    require_described(environment)
    mapping = read_mapping(rules)
    if not (mapping.table_address or mapping.masters_address):
        return mapping, folder_masters(mapping.masters)
    try:
        buckets = foreign_buckets(environment)
        return fetch_table(mapping, buckets), find_masters(mapping, buckets)
    except OUT_OF_REACH as error:
        stop(explain_out_of_reach(error, environment))


@contextmanager
def usable() -> Iterator[None]:
    """End the command with the sentence of a file that cannot be used."""
    try:
        yield
    except (MappingUnusable, MigrationUnusable, OSError) as error:
        sys.stdout.flush()
        stop(f"{error}." if not str(error).endswith(".") else str(error))
