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
    status: int = 200
    """Status with which the edge answers it (stacks/functions/page_response.js)."""
    location: str = ""
    """Path to which a redirect leads."""
    is_replacement: bool = False
    """True if it is written only where there is something: nobody was given its address before."""

    @property
    def metadata(self) -> dict[str, str]:
        """What is stored next to it."""
        if self.status == 200:
            return {}
        return {"status": str(self.status)} | ({"location": self.location} if self.location else {})
