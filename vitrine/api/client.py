"""Calls of the API, by a program with the rights of the person who runs it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from vitrine.api.access_operations import SetAccess
from vitrine.api.http import JSON, PROBLEM, ApiResponse
from vitrine.api.object_operations import PATHS
from vitrine.api.problems import ProblemDocument
from vitrine.api.resources import Caller, Published
from vitrine.catalogue.records import Item
from vitrine.errors import ObjectRefused, RevisionChanged, ServiceRefused, TransientError

ATTEMPTS = 6
FIRST_PAUSE_SECONDS = 0.5
_BUSY = frozenset({429, 500, 502, 503, 504})
"""Statuses of a gateway or a function that is overloaded or failed; a change may be sent again."""

Send = Callable[[str, str, str, Mapping[str, str], bytes], ApiResponse]
"""Sends method, path, query, headers and body. Raises TransientError if nobody answers."""


@dataclass(frozen=True, kw_only=True)
class ApiClient:
    """The API, as one caller reaches it. Paths in `send` are percent-encoded."""

    send: Send
    pause: Callable[[float], None] = time.sleep

    def caller(self) -> Caller | None:
        """Return who the API takes us for; None if it does not let us in. TransientError."""
        answer = self._call("GET", "/caller")
        if answer.status in (401, 403):
            return None
        return msgspec.json.decode(_checked(answer, "/caller"), type=Caller)

    def put_item(
        self, item: Item, *, over: int, collection: str, replace_withdrawn: bool = False
    ) -> Published:
        """Publish an object or a collection on behalf of a collection, over this revision.

        A collection that is closed stays so. Raises ObjectRefused with the API's code,
        RevisionChanged, ServiceRefused and TransientError.
        """
        query = {"collection": collection, "keeps_closed": "true"}
        query |= {"replace_withdrawn": "true"} if replace_withdrawn else {}
        path = f"/{PATHS[type(item)]}/{quote(item.identifier, safe='')}"
        return msgspec.json.decode(self._put(path, query, item, over), type=Published)

    def put_access(self, image: str, rule: str, *, over: int, collection: str) -> None:
        """Set the rule of access of an image, as above; `inherited`: it has none of its own."""
        path = f"/access/{quote(image, safe='')}"
        self._put(path, {"collection": collection}, SetAccess(access=rule), over)

    def _put(self, path: str, query: Mapping[str, str], body: Any, over: int) -> bytes:
        condition = {"if-match": f'"{over}"'} if over else {"if-none-match": "*"}
        headers = condition | {"content-type": JSON}
        answer = self._call("PUT", path, urlencode(query), headers, msgspec.json.encode(body))
        if answer.status == 412:
            found = answer.headers.get("etag", "").strip('"')
            raise RevisionChanged(path, int(found or 0), over)
        return _checked(answer, path)

    def _call(
        self,
        method: str,
        path: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ApiResponse:
        """Send a request that may come twice, until the API answers it. Raises TransientError."""
        for attempt in range(ATTEMPTS):
            if attempt:
                self.pause(FIRST_PAUSE_SECONDS * 2**attempt)
            answer = self.send(method, path, query, headers or {}, body)
            if answer.status not in _BUSY:
                return answer
        raise TransientError(f"The API answers {answer.status} to {method} {path}.")


def _checked(answer: ApiResponse, path: str) -> bytes:
    """Return the body of an answer. Raises ObjectRefused or ServiceRefused for a problem."""
    if answer.status < 300:
        return answer.body
    if answer.headers.get("content-type") != PROBLEM:
        said = answer.body.decode(errors="replace")[:200]
        raise ServiceRefused(f"The API answers {answer.status} to {path}: {said}")
    problem = msgspec.json.decode(answer.body, type=ProblemDocument)
    sentence = problem.detail or f"{problem.title}. {problem.advice}"
    raise ObjectRefused(problem.type.rpartition("/")[2], sentence, problem.faults)
