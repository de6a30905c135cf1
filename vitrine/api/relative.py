"""Addresses relative to that of a request, which hold whatever stands in front of the API."""

from urllib.parse import quote


def sibling(name: str, folder: str = "") -> str:
    """Return the address of something next to what was asked for, or in a `folder` next to it.

    Its leading `./` keeps a colon in the name from ending a scheme (RFC 3986, section 4.2).
    """
    return f"./{folder}{quote(name, safe='')}"


def ingest_location(key: str) -> str:
    """Return the address of a master's ingest, from any address without a name."""
    return sibling(key, "ingests/")
