"""The photo door behind a server that speaks WSGI (PEP 3333)."""

import faulthandler
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from vitrine.api.http import Request, Response, json_response
from vitrine.api.problems import Problem, problem_response
from vitrine.photos.application import CORS, FORM_BYTES, answer
from vitrine.photos.kept_memory import release_memory
from vitrine.photos.services import PhotoServices
from vitrine.photos.uploads import receive_submission

StartResponse = Callable[[str, list[tuple[str, str]]], object]
DECODING_SECONDS = 60
"""After which a process that answers one request ends."""
_NAMED = {"CONTENT_TYPE": "content-type"}
_PREFIX = "HTTP_"

logger = logging.getLogger(__name__)


class PhotoDoor:
    """One process of the door: it receives many photographs, and decodes one at a time."""

    def __init__(self, services: PhotoServices) -> None:
        self._services = services
        self._turn = threading.Lock()

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer a request; a defect is logged and answered by 500."""
        began = time.monotonic()
        try:
            response = self._answer(environ)
        except Problem as problem:
            response = problem_response(problem)
        except Exception:
            logger.exception("A request of the photo door failed by a fault of ours.")
            response = json_response(500, {"status": 500, "title": "A fault of ours"})
        status = HTTPStatus(response.status)
        headers = {**response.headers, **CORS, "content-length": str(len(response.body))}
        start(f"{status.value} {status.phrase}", list(headers.items()))
        timing = response.headers.get("server-timing", "")
        seconds = time.monotonic() - began
        logger.info("photograph %s, %s, %.3f s", response.status, timing, seconds)
        return [response.body]

    def _answer(self, environ: Mapping[str, Any]) -> Response:
        request, most = _request(environ), self._services.most_bytes + FORM_BYTES
        with receive_submission(environ, request, most) as submission, self._turn:
            # A defect in a decoder may never return: then this process ends, and says where it was.
            faulthandler.dump_traceback_later(DECODING_SECONDS, exit=True)
            try:
                return answer(self._services, request, submission)
            finally:
                faulthandler.cancel_dump_traceback_later()
                release_memory()


def _request(environ: Mapping[str, Any]) -> Request:
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
        caller="",
    )
