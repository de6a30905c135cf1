"""A file of the site, as a page's maker returns it."""

from dataclasses import dataclass

HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"


@dataclass(frozen=True)
class PageFile:
    """What one key of the site's bucket holds."""

    key: str
    body: bytes
    content_type: str = HTML
    is_replacement: bool = False
    """True if it is written only where there is something: nobody was given its address before."""
