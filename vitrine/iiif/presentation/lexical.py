"""Addresses and moments as documents have to spell them."""

import re
from datetime import datetime
from urllib.parse import quote

_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_NO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PARTS = re.compile(r"(https?://[^/?#]*)([^#]*)(#?)(.*)", re.DOTALL)


def as_uri(address: str) -> str:
    """Return an address as a URI: percent-encoded what has no place in one (RFC 3987, 3.1).

    People copy addresses as browsers show them, `https://de.wikipedia.org/wiki/Zürich`; documents
    have URIs (RFC 3986).
    """
    found = _PARTS.fullmatch(address)
    if not found:
        return address
    host, path, sign, fragment = found.groups()
    rest = _without_brackets(path) + sign + _without_brackets(fragment).replace("#", "%23")
    return quote(_NO_ESCAPE.sub("%25", host + rest), safe=_ASCII)


def as_moment(text: str) -> str:
    """Return a moment as RFC 3339 spells it, to the second; another text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if moment.tzinfo is None:
        return text
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _without_brackets(text: str) -> str:
    """Return what follows the host of an address; only there brackets have a place."""
    return text.replace("[", "%5B").replace("]", "%5D")
