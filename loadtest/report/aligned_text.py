"""Tables for a terminal."""

from collections.abc import Sequence


def align_rows(rows: Sequence[Sequence[str]]) -> str:
    """Columns to the right, as wide as their widest cell."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
