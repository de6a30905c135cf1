"""Rows of a table, or records of documents, as a mapping reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.mets import MetsStructure
from vitrine.sources.mapping.template import Row

MAX_LINE_BYTES = 1 << 20
"""Bytes of a line of JSON Lines. A cell of CSV may have 131,072 characters (Python,
`csv.field_size_limit`)."""
MAX_DOCUMENT_BYTES = 512 << 20
"""Bytes of Excel and JSON, which are read whole."""


@dataclass(frozen=True)
class SheetRow:
    """The cells of a row of a spreadsheet."""

    cells: Sequence[str]
    numbers: frozenset[int] = frozenset()
    """Columns, from 0, that have a number without a format, which has lost its leading zeros."""
    fault: str = ""
    """Why it cannot be read."""


@dataclass(frozen=True)
class NumberedRow:
    """A row, or the sentence why it cannot be read."""

    number: int
    """As a person counts in the file: of a spreadsheet the header is 1."""
    values: Row
    fault: str = ""
    file: str = ""
    """Its name, if the table is a folder."""
    errors: Sequence[str] = ()
    """Columns that show an error of the spreadsheet, such as #N/A, in place of a value."""
    numbers: Sequence[str] = ()
    """Columns that have a number, not a text."""
    structure: MetsStructure | None = None
    """Pages and parts, of a record in METS."""


def check_size(path: Path, most: int = MAX_DOCUMENT_BYTES) -> None:
    """Raise MappingUnusable for a file that is too large to be read whole."""
    if path.stat().st_size > most:
        raise MappingUnusable(
            f"{path} is larger than {most >> 20} MiB: split it, or save it as CSV or JSON Lines"
        )
