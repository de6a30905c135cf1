"""Dates of tables."""

import re
from datetime import date

_DATE = re.compile(r"(\d{1,4})(?:-(\d{2})(?:-(\d{2}))?)?")


def first_moment(text: str) -> str:
    """Return the first moment of a year, month or day, RFC 3339; "" for other texts."""
    found = _DATE.fullmatch(text)
    if not found:
        return ""
    try:
        first = date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return ""
    return f"{first.isoformat()}T00:00:00Z"
