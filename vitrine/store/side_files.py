"""Side files: what programs, notes and tables leave in a folder of images."""

from pathlib import PurePath

SIDE_NAMES = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"})
"""Names of files that file managers of Windows and macOS leave in a folder, in lower case."""
SIDE_SUFFIXES = frozenset(
    {".aae", ".cos", ".db", ".ini", ".log", ".on1", ".pp3", ".xmp"}
    | {".csv", ".doc", ".docx", ".json", ".jsonl", ".md", ".rtf", ".tsv", ".txt", ".xls", ".xlsx"}
    | {".xml"}
)
"""Sidecars of image programs, and documents, in lower case."""
_SHOWN = 3


def is_side_file(name: str) -> bool:
    """Return whether a file of this name is no image, so that a folder's walk passes over it."""
    lower = name.lower()
    return lower in SIDE_NAMES or PurePath(lower).suffix in SIDE_SUFFIXES


def describe_skipped(names: list[str]) -> str:
    """Return a sentence that names some of the files that were passed over, and counts the rest."""
    shown, more = ", ".join(names[:_SHOWN]), len(names) - _SHOWN
    rest = f" and {more:,} more" if more > 0 else ""
    count = "1 file that is no image" if len(names) == 1 else f"{len(names):,} files without images"
    return f"skipped {count}: {shown}{rest}"
