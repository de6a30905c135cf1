"""The table of a mapping: a spreadsheet, or documents whose records are its rows."""

from pathlib import Path

from vitrine.sources.mapping.documents import DOCUMENTS, RecordDocuments
from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.spreadsheet import EXCEL, Spreadsheet

TABLES = (".csv", ".tsv", *EXCEL, *DOCUMENTS)
"""Files that may be one."""

Table = Spreadsheet | RecordDocuments
"""Both have `columns` and `notes` of the header, which documents lack, and `rows`."""


def open_table(path: Path, sheet: str = "", inner: str = "") -> Table:
    """Return the table in a file, or in all documents of a folder.

    `sheet` names one of a spreadsheet, `inner` is the path to the records in a document. Raises
    MappingUnusable and OSError.
    """
    if not path.exists():
        raise MappingUnusable(f"there is no table {path}")
    if path.is_dir() or path.suffix.lower() in DOCUMENTS:
        return RecordDocuments(path, inner)
    return Spreadsheet(path, sheet)
