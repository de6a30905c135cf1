"""Idempotency keys: a request that comes twice happens once, and is answered twice.

After the IETF's draft "The Idempotency-Key HTTP Header Field" (draft-ietf-httpapi-idempotency-key).
A key is one caller's own. What was answered is one object in the bucket of records, which expires.
"""

import base64
import hashlib
import re
import time
from collections.abc import Callable

import msgspec

from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.api.problems import Problem
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectStore
from vitrine.store.layout import request_key

HEADER = "idempotency-key"
REPLAYED = "idempotency-replayed"
ANSWER_SECONDS = 60
"""After which a request that has no answer is taken for dead, as its Lambda then is."""
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_CONTENT_TYPE = "application/json"


class _Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    fingerprint: str
    begun: float
    """Seconds since 1970; 0: it failed, and the next one with this key begins again."""
    good_until: float | None = None
    """Seconds since 1970, after which the request is answered again."""
    status: int = 0
    headers: dict[str, str] = {}
    body: str = ""
    """Base64."""


_decode = msgspec.json.Decoder(_Kept).decode
_encode = msgspec.json.Encoder().encode


def answer_once(
    store: ObjectStore,
    request: ApiRequest,
    answer: Callable[[], ApiResponse],
    clock: Callable[[], float] = time.time,
) -> ApiResponse:
    """Return what `answer` returns, or what it returned to the same request before.

    Without a key it is just called. Raises Problem, and what `answer` raises.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return answer()
    if not _KEY.fullmatch(key):
        raise Problem("header-invalid", f"{HEADER} is not 1 to 255 printable ASCII characters.")
    place = request_key(hashlib.sha256(f"{request.caller}\0{key}".encode()).hexdigest())
    begun = _Kept(fingerprint=_request_fingerprint(request), begun=clock())
    kept, etag = _begin_request(store, place, begun)
    if kept:
        return ApiResponse(
            status=kept.status,
            headers={**kept.headers, REPLAYED: "true"},
            body=base64.b64decode(kept.body),
        )
    failed = msgspec.structs.replace(begun, begun=0)
    try:
        response = answer()
    except BaseException:
        _write_answer(store, place, failed, etag)
        raise
    if response.status >= 500:
        _write_answer(store, place, failed, etag)
    else:
        ended = msgspec.structs.replace(
            begun,
            good_until=response.good_seconds and clock() + response.good_seconds,
            status=response.status,
            headers=dict(response.headers),
            body=base64.b64encode(response.body).decode(),
        )
        _write_answer(store, place, ended, etag)
    return response


def _begin_request(store: ObjectStore, place: str, begun: _Kept) -> tuple[_Kept | None, str]:
    """Return the answer that is kept, or None and the ETag of our own mark. Raises Problem."""
    expected = ""
    try:
        body, info = store.get(place)
    except ObjectMissing:
        pass
    else:
        kept = _decode(body)
        if kept.fingerprint != begun.fingerprint:
            raise Problem("key-reused")
        if kept.status and (kept.good_until is None or begun.begun < kept.good_until):
            return kept, ""
        if not kept.status and kept.begun and begun.begun - kept.begun < ANSWER_SECONDS:
            raise _in_use()
        expected = info.etag
    try:
        mark = store.put(place, _encode(begun), content_type=_CONTENT_TYPE, if_etag=expected)
    except PreconditionFailed:
        raise _in_use() from None
    return None, mark.etag


def _write_answer(store: ObjectStore, place: str, kept: _Kept, etag: str) -> None:
    """Keep an answer, unless somebody took the request for dead and began again."""
    try:
        store.put(place, _encode(kept), content_type=_CONTENT_TYPE, if_etag=etag)
    except PreconditionFailed:
        return


def _in_use() -> Problem:
    return Problem("key-in-use", headers={"retry-after": "2"})


def _request_fingerprint(request: ApiRequest) -> str:
    conditions = (request.headers.get(name, "") for name in ("if-match", "if-none-match"))
    parts = (request.method, request.path, request.query, *conditions)
    head = "\0".join(parts).encode(errors="surrogatepass")
    return hashlib.sha256(head + b"\0" + request.body).hexdigest()
