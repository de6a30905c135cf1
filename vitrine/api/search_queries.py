"""The queries of searches in texts: fields of an address, within limits."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from vitrine.errors import InvalidRequest

MAX_ADDRESS_LENGTH = 4_096
MAX_FIELDS = 20
_NOT_HEEDED = ("date", "user")


def read_query(query: str) -> dict[str, str]:
    """Return the fields of a query; of several values the first. Raises InvalidRequest."""
    if len(query) > MAX_ADDRESS_LENGTH:
        raise InvalidRequest(f"an address has at most {MAX_ADDRESS_LENGTH:,} bytes")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidRequest(f"a query is UTF-8 with at most {MAX_FIELDS} fields") from None
    return dict(reversed(pairs))


def read_text(fields: Mapping[str, str]) -> str:
    """Return what is searched for, with single spaces."""
    return " ".join(fields.get("q", "").split())


def read_motivation(fields: Mapping[str, str]) -> str:
    """Return the motivations that are asked for, with single spaces; "" for all."""
    return " ".join(fields.get("motivation", "").split())


def read_number(fields: Mapping[str, str], name: str, least: int = 1) -> int:
    """Return a number, `least` where none is given. Raises InvalidRequest."""
    text = fields.get(name) or str(least)
    if not (text.isascii() and text.isdigit() and len(text) <= 7 and int(text) >= least):
        raise InvalidRequest(f"{name} is a number from {least}")
    return int(text)


def list_ignored(fields: Mapping[str, str]) -> list[str]:
    """Return the parameters of the standard that came and are not heeded."""
    # The edge names those that it took out of the query, which is the key of what it keeps.
    came = {*fields, *fields.get("ignored", "").split(",")}
    return [name for name in _NOT_HEEDED if name in came]
