"""Cells of tables that spreadsheets would calculate."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet take a text for a formula (OWASP, "CSV Injection")."""


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet calculates: a formula is given an apostrophe."""
    return f"'{cell}" if cell.startswith(FORMULA) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
