"""What commands print about records: lines for people, JSON for machines."""

import json
from collections.abc import Iterable
from typing import Any

from rich.console import Console

from vitrine.records import Gone, Live, Record, Redirect, Removed


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for people."""
    Console(soft_wrap=True).print("\n".join(lines), markup=False, highlight=False)


def print_json(document: Any) -> None:
    """Print a document for machines."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def describe_record(record: Record | None) -> str:
    """Return one line about what an identifier is, or was."""
    match record:
        case Live():
            size = f"{record.width:,} x {record.height:,} px"
            return f"live: {size} of {record.master_key}, version {record.version}"
        case Redirect():
            return f"redirect to {record.target}" + (f" ({record.note})" if record.note else "")
        case Gone():
            return f"gone since {record.changed_at}: {record.reason}"
        case Removed():
            return "its redirect was removed"
        case None:
            return "never used"
