"""Dates of tables."""

import re
from datetime import UTC, date, datetime

_DATE = re.compile(r"(\d{1,4})(?:-(\d{2})(?:-(\d{2}))?)?")
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", re.IGNORECASE)


def first_moment(text: str) -> str:
    """Return the first moment of a year, month or day, RFC 3339; "" for other texts.

    A date with a time is that moment, in UTC if it names no time zone. Of several dates, with
    semicolons between them, it is the first.
    """
    text = text.partition(";")[0].strip()
    found = _DATE.fullmatch(text)
    if not found:
        return _moment(text)
    try:
        first = date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return ""
    return f"{first.isoformat()}T00:00:00Z"


def _moment(text: str) -> str:
    if not _DATE_TIME.match(text):
        return ""
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError:
        return ""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
