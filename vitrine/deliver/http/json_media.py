"""The media type and coding of documents, negotiated by the client's Accept headers."""

import re
from functools import lru_cache

from vitrine.deliver.http.exchange import Headers

_LINKED = "application/ld+json"
_PLAIN = "application/json"
_CONTEXT = "http://www.w3.org/ns/json-ld#context"
_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
"""Weight in an Accept header (RFC 9110, section 12.4.2)."""

_KNOWN_ACCEPTS = 64
"""Browsers and viewers send a handful; each may be as long as a request's headers."""


@lru_cache(_KNOWN_ACCEPTS)
def media_headers(version: int, context: str, accept: str | None) -> Headers:
    """Return the content type for an Accept header, and what goes with it.

    `version` is that of the Image or Presentation API, `context` the URI of its JSON-LD context.
    Plain JSON links to the context that makes it JSON-LD (Image API 2.1, section 5.1).
    """
    type_ = negotiate_media(version, context, accept)
    headers: Headers = (("content-type", type_), ("vary", "Accept"))
    if type_ != _PLAIN:
        return headers
    return (*headers, ("link", f'<{context}>;rel="{_CONTEXT}";type="{_LINKED}"'))


def negotiate_media(version: int, context: str, accept: str | None) -> str:
    """Return the content type for an Accept header.

    (Image API 3.0 and 2.1, section 5.1; Presentation API 3.0, section 6.3, and 2.1, section 7.)

    Version 3 is JSON-LD unless the client prefers plain JSON or is a browser's window (which
    shows plain JSON, and offers JSON-LD for download); version 2 is plain unless the client
    names JSON-LD. A client that accepts neither gets plain JSON.
    """
    weights = _parse_weights(accept or "*/*")
    linked, plain = _find_weight(weights, _LINKED), _find_weight(weights, _PLAIN)
    if version == 3:
        prefers_linked = linked >= plain and ("text/html" not in weights or _LINKED in weights)
    else:
        prefers_linked = _LINKED in weights and linked >= plain
    if not (linked and prefers_linked):
        return _PLAIN
    return f'{_LINKED};profile="{context}"' if version == 3 else _LINKED


def takes_encoding(accept_encoding: str | None, coding: str) -> bool:
    """Return True if a client names this content coding (RFC 9110, section 12.5.3).

    An asterisk alone does not count: who knows a coding names it.
    """
    return _parse_weights(accept_encoding or "").get(coding, 0.0) > 0


def _parse_weights(accept: str) -> dict[str, float]:
    """Return the media ranges of an Accept header with their weights (RFC 9110, 12.5.1)."""
    weights = {}
    for part in accept.lower().split(","):
        range_, *parameters = (piece.strip() for piece in part.split(";"))
        weights[range_] = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                weights[range_] = _parse_weight(parameter.removeprefix("q="))
    return weights


def _parse_weight(text: str) -> float:
    return float(text) if _WEIGHT.fullmatch(text) else 0.0


def _find_weight(weights: dict[str, float], type_: str) -> float:
    """Return the weight of the most specific range that covers `type_`."""
    for range_ in (type_, "application/*", "*/*"):
        if range_ in weights:
            return weights[range_]
    return 0.0
