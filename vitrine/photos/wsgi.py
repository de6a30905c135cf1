"""The photo door behind a server that speaks WSGI (PEP 3333)."""

import faulthandler
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from vitrine.api.http import ApiRequest, ApiResponse, json_response
from vitrine.api.problems import Problem, problem_of, problem_response
from vitrine.photos.application import CORS, PATH, answer
from vitrine.photos.kept_memory import release_memory
from vitrine.photos.permission import permit_body
from vitrine.photos.services import PhotoServices
from vitrine.photos.uploads import Body, receive_submission

StartResponse = Callable[[str, list[tuple[str, str]]], object]
TURN_SECONDS = 15
"""Seconds that a photograph waits for the others of its process."""
DECODING_SECONDS = 40
"""After which a process that answers one request ends."""
RETRY_SECONDS = 5
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
        began, body = time.monotonic(), Body(environ)
        try:
            response = self._answer(_request(environ), body)
        except Exception as error:
            response = _failure(error)
        status = HTTPStatus(response.status)
        headers = {**response.headers, **CORS, "content-length": str(len(response.body))}
        start(f"{status.value} {status.phrase}", list(headers.items()))
        timing = response.headers.get("server-timing", "")
        seconds = time.monotonic() - began
        logger.info("photograph %s, %s, %.3f s", response.status, timing, seconds)
        return _Sent(response.body, body)

    def _answer(self, request: ApiRequest, body: Body) -> ApiResponse:
        if (request.method, request.path) != ("POST", PATH):
            return answer(self._services, request)
        permit = partial(permit_body, self._services, request, body.length)
        submission = receive_submission(body, request, permit)
        if not self._turn.acquire(timeout=TURN_SECONDS):
            raise Problem("photos-busy", headers={"retry-after": str(RETRY_SECONDS)})
        # A defect in a decoder may never return: then this process ends, and says where it was.
        faulthandler.dump_traceback_later(DECODING_SECONDS, exit=True)
        try:
            return answer(self._services, request, submission)
        finally:
            faulthandler.cancel_dump_traceback_later()
            del submission
            release_memory()
            self._turn.release()


def _failure(error: Exception) -> ApiResponse:
    problem = problem_of(error)
    if problem:
        return problem_response(problem)
    logger.error("A request of the photo door failed by a fault of ours.", exc_info=error)
    return json_response(500, {"status": 500, "title": "A fault of ours"})


class _Sent:
    """The body of an answer; the server closes it once all of it is on its way (PEP 3333)."""

    def __init__(self, data: bytes, received: Body) -> None:
        self._data = data
        self.close = received.abandon

    def __iter__(self) -> Iterator[bytes]:
        yield self._data


def _request(environ: Mapping[str, Any]) -> ApiRequest:
    headers = {
        name.removeprefix(_PREFIX).replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith(_PREFIX)
    }
    headers |= {name: environ[variable] for variable, name in _NAMED.items() if variable in environ}
    return ApiRequest(
        method=environ["REQUEST_METHOD"],
        path=environ["PATH_INFO"],
        query=environ.get("QUERY_STRING", ""),
        headers=headers,
        caller="",
    )
