"""Answers without an image or a document: another address, or the reason for a refusal."""

from dataclasses import dataclass
from typing import ClassVar

from vitrine.deliver.http import headers
from vitrine.deliver.http.exchange import Response, error_response
from vitrine.errors import RequestError


@dataclass(frozen=True)
class RedirectTo:
    """Another address on this host; `path` is percent-encoded."""

    kind: ClassVar = "other"
    """Word of the metrics for what was requested."""
    status: int
    path: str

    def response(self) -> Response:
        """Return the redirect."""
        # At a base address, the edge sends browsers to the page.
        vary = (("vary", "Accept"),) if self.status == 303 else ()
        location = (("location", self.path), *vary, *headers.brief_life())
        return Response(status=self.status, headers=location)


@dataclass(frozen=True)
class Refusal:
    """The reason for which nothing is shown."""

    kind: ClassVar = "other"
    """Word of the metrics for what was requested."""
    error: RequestError

    def response(self) -> Response:
        """Return the error's status, its reason, and how long caches may keep that."""
        return error_response(self.error, headers.error_headers(self.error))


WithoutImage = RedirectTo | Refusal
