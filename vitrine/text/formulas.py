"""Cells of tables that spreadsheets would calculate."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a text that a spreadsheet takes for a formula (OWASP, "CSV Injection")."""


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet calculates: a formula is given an apostrophe.

    So is a text that already looks like what becomes of one: `unharmed` gives both back.
    """
    bare = cell.lstrip("'")
    is_formula = bare.startswith(FORMULA) and not (bare == cell and _is_number(cell))
    return f"'{cell}" if is_formula else cell


def unharmed(cell: str) -> str:
    """Return what `harmless` was given."""
    is_guarded = cell.startswith("'") and cell.lstrip("'").startswith(FORMULA)
    return cell[1:] if is_guarded else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
