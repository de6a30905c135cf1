"""A request and an answer, without any server's form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

JSON = "application/json"
PROBLEM = "application/problem+json"
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, kw_only=True)
class ApiRequest:
    """A request of somebody whom the gateway has authenticated."""

    method: str
    path: str
    """Decoded, without the query: `/objects/a letter/1`."""
    query: str = ""
    """As it was sent."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers by their names in lower case."""
    body: bytes = b""
    caller: str
    """Caller: the ARN of a role or user, or issuer and subject of a token."""
    scopes: tuple[str, ...] = ()
    """Scopes of the token."""


@dataclass(frozen=True, kw_only=True)
class ApiResponse:
    """An answer. `headers` has all but the length."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    cookies: tuple[str, ...] = ()
    """Values of Set-Cookie."""
    good_seconds: float | None = None
    """Seconds for which a repeated request gets the same answer; None: for as long as it is kept.
    """


def json_response(
    status: int, content: Any, headers: Mapping[str, str] | None = None, content_type: str = JSON
) -> ApiResponse:
    """Return an answer with JSON, which no cache keeps."""
    return ApiResponse(
        status=status,
        headers={"content-type": content_type, "cache-control": "no-store", **(headers or {})},
        body=_encode(content),
    )
