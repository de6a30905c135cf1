"""The cookies that browsers keep for us: a ticket, and what a way in has to remember.

`SameSite=None`: viewers on pages of others show our images. Browsers take `Secure` over http from
this machine, too (RFC 6265bis, "potentially trustworthy origins").
"""

from collections.abc import Mapping

MAX_HEADER_LENGTH = 8_192
"""Characters of a request's cookies; a longer header counts as none."""
_ATTRIBUTES = "Path=/; Secure; HttpOnly"


def read_cookie(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a cookie, or "" if no cookie has this name."""
    header = headers.get("cookie", "")
    if len(header) > MAX_HEADER_LENGTH:
        return ""
    for part in header.split(";"):
        found, _, value = part.strip().partition("=")
        if found == name:
            return value
    return ""


def set_cookie(name: str, value: str, seconds: int, *, everywhere: bool) -> str:
    """Return a Set-Cookie. `everywhere`: pages of other sites cause it to be sent as well."""
    same_site = "None" if everywhere else "Lax"
    return f"{name}={value}; Max-Age={seconds}; SameSite={same_site}; {_ATTRIBUTES}"


def drop_cookie(name: str, *, everywhere: bool) -> str:
    """Return a Set-Cookie that ends one."""
    return set_cookie(name, "", 0, everywhere=everywhere)
