"""The photo door behind a server that speaks WSGI (PEP 3333)."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from vitrine.api.http import Request, json_response
from vitrine.photos.application import FORM_BYTES, answer
from vitrine.photos.services import PhotoServices

StartResponse = Callable[[str, list[tuple[str, str]]], object]
_NAMED = {"CONTENT_TYPE": "content-type"}
_PREFIX = "HTTP_"

logger = logging.getLogger(__name__)


class PhotoDoor:
    """One process of the door; it answers one request at a time."""

    def __init__(self, services: PhotoServices) -> None:
        self._services = services

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer a request; a defect is logged and answered by 500."""
        began = time.monotonic()
        try:
            most_bytes = self._services.most_bytes + FORM_BYTES
            response = answer(self._services, _request(environ, most_bytes))
        except Exception:
            logger.exception("A request of the photo door failed by a fault of ours.")
            response = json_response(500, {"status": 500, "title": "A fault of ours"})
        status = HTTPStatus(response.status)
        headers = {**response.headers, "content-length": str(len(response.body))}
        start(f"{status.value} {status.phrase}", list(headers.items()))
        timing = response.headers.get("server-timing", "")
        seconds = time.monotonic() - began
        logger.info("photograph %s, %s, %.3f s", response.status, timing, seconds)
        return [response.body]


def _request(environ: Mapping[str, Any], most_bytes: int) -> Request:
    """Return the request; of a body beyond the limit, only enough to see that it is."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    headers = {
        name.removeprefix(_PREFIX).replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith(_PREFIX)
    }
    headers |= {name: environ[variable] for variable, name in _NAMED.items() if variable in environ}
    return Request(
        method=environ["REQUEST_METHOD"],
        path=environ["PATH_INFO"],
        query=environ.get("QUERY_STRING", ""),
        headers=headers,
        body=environ["wsgi.input"].read(min(length, most_bytes + 1)),
        caller="",
    )
