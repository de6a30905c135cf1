"""Calls of the API, by a program with the rights of the person who runs it."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from vitrine.api.access_operations import SetAccess
from vitrine.api.http import JSON, PROBLEM, ApiResponse
from vitrine.api.idempotency import HEADER
from vitrine.api.object_operations import PATHS
from vitrine.api.problems import ProblemDocument
from vitrine.api.redirect_list_operations import RedirectResult, RedirectResults, SetRedirects
from vitrine.api.resources import (
    Caller,
    Ingest,
    Published,
    RenameImage,
    RenameObject,
    Restore,
)
from vitrine.catalogue.records import Item
from vitrine.errors import (
    IdentifierRefused,
    ObjectRefused,
    RevisionChanged,
    ServiceRefused,
    TransientError,
)
from vitrine.iiif.presentation.model import PublishedObject

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
        """Publish an object or a collection, over this revision.

        On behalf of a collection, one that is closed stays so. Raises ObjectRefused with the API's
        code, RevisionChanged, ServiceRefused and TransientError.
        """
        query = {"collection": collection, "keeps_closed": "true"} if collection else {}
        query |= {"replace_withdrawn": "true"} if replace_withdrawn else {}
        path = _named(PATHS[type(item)], item.identifier)
        return msgspec.json.decode(self._change("PUT", path, query, item, over), type=Published)

    def withdraw_object(self, identifier: str, reason: str, *, over: int) -> Published:
        """Withdraw an object or a collection. Raises as `put_item`."""
        path = _named(PATHS[PublishedObject], identifier)
        body = self._change("DELETE", path, {"reason": reason}, over=over)
        return msgspec.json.decode(body, type=Published)

    def rename_object(self, old: str, new: str) -> Published:
        """Give an object or a collection another identifier. Raises as `put_item`."""
        body = self._change("POST", "/renames", body=RenameObject(old=old, new=new))
        return msgspec.json.decode(body, type=Published)

    def put_access(self, image: str, rule: str, *, over: int, collection: str = "") -> None:
        """Set the rule of access of an image; `inherited`: it has none of its own.

        Raises IdentifierRefused with the API's code, and as above.
        """
        with _identifiers():
            self._change(
                "PUT",
                _named("access", image),
                {"collection": collection},
                SetAccess(access=rule),
                over,
            )

    def end_links(self, image: str, *, over: int) -> None:
        """End all share links to an image. Raises as `put_access`."""
        with _identifiers():
            self._change("DELETE", _named("links", image), over=over)

    def withdraw_image(self, image: str, reason: str, *, over: int) -> None:
        """Take an image off the web. Raises as `put_access`."""
        with _identifiers():
            self._change("DELETE", _named("images", image), {"reason": reason}, over=over)

    def restore_image(self, image: str) -> Ingest:
        """Let the master of a withdrawn image be ingested again. Raises as `put_access`."""
        with _identifiers():
            body = self._change("POST", "/restorations", body=Restore(identifier=image))
        return msgspec.json.decode(body, type=Ingest)

    def rename_image(self, old: str, new: str, *, replace_withdrawn: bool) -> Ingest:
        """Let the master of an image be ingested with another name. Raises as `put_access`."""
        change = RenameImage(old=old, new=new, replace_withdrawn=replace_withdrawn)
        with _identifiers():
            return msgspec.json.decode(self._change("POST", "/renames", body=change), type=Ingest)

    def set_redirects(self, requested: SetRedirects) -> tuple[RedirectResult, ...]:
        """Make some redirects, and return what became of each. Raises as `put_access`."""
        with _identifiers():
            body = self._change("POST", "/redirects", body=requested)
        return msgspec.json.decode(body, type=RedirectResults).redirects

    def delete_redirect(self, identifier: str, *, over: int) -> None:
        """Remove a redirect. Raises as `put_access`."""
        with _identifiers():
            self._change("DELETE", _named("redirects", identifier), over=over)

    def _change(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        over: int | None = None,
    ) -> bytes:
        """Return what a change answers that happens once; `over` is the revision it replaces."""
        headers = {} if body is None else {"content-type": JSON}
        if over is None:
            headers[HEADER] = str(uuid.uuid4())
        else:
            headers |= {"if-match": f'"{over}"'} if over else {"if-none-match": "*"}
        sent = b"" if body is None else msgspec.json.encode(body)
        # A signature takes a plus for a plus (Signature Version 4, "Canonical query string").
        encoded = urlencode(query or {}, quote_via=quote)
        answer = self._call(method, path, encoded, headers, sent)
        if answer.status == 412:
            found = answer.headers.get("etag", "").strip('"')
            raise RevisionChanged(path, int(found or 0), over or 0)
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
            if answer.status not in _BUSY and not _is_being_answered(answer):
                return answer
        raise TransientError(f"The API answers {answer.status} to {method} {path}.")


def _is_being_answered(answer: ApiResponse) -> bool:
    """Return True if the request came before, by a connection that broke, and is not done yet."""
    if answer.status != 409 or answer.headers.get("content-type") != PROBLEM:
        return False
    return code_of(msgspec.json.decode(answer.body, type=ProblemDocument)) == "key-in-use"


def _named(root: str, identifier: str) -> str:
    return f"/{root}/{quote(identifier, safe='')}"


@contextmanager
def _identifiers() -> Iterator[None]:
    """Raise what the API refuses as the refused change of an identifier that it is."""
    try:
        yield
    except ObjectRefused as error:
        raise IdentifierRefused(error.code, str(error)) from error


def describe_problem(problem: ProblemDocument) -> str:
    """Return what a command says about a problem."""
    return problem.command or problem.detail or f"{problem.title}. {problem.advice}"


def code_of(problem: ProblemDocument) -> str:
    """Return the code of a problem."""
    return problem.type.rpartition("/")[2]


def _checked(answer: ApiResponse, path: str) -> bytes:
    """Return the body of an answer. Raises ObjectRefused or ServiceRefused for a problem."""
    if answer.status < 300:
        return answer.body
    if answer.headers.get("content-type") != PROBLEM:
        said = answer.body.decode(errors="replace")[:200]
        raise ServiceRefused(f"The API answers {answer.status} to {path}: {said}")
    problem = msgspec.json.decode(answer.body, type=ProblemDocument)
    raise ObjectRefused(code_of(problem), describe_problem(problem), problem.faults)
