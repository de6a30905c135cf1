"""What is remembered between the beginning and the end of a way in: a signed cookie.

A JSON Web Token, HS256 (RFC 7519), signed with the keys of tickets. It is for one browser, since it
is a cookie, and for one use: its answer takes it away, and a counter of uses refuses it again.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from typing import Any

import jwt
import msgspec
from msgspec import Struct

from vitrine.access.keys import Keys

COOKIE = "__Host-vitrine-way-in"
SECONDS = 900
"""For signing in, or for reading terms."""
MAX_COOKIE_CHARACTERS = 2_048
_ALGORITHM = "HS256"
_AUDIENCE = "vitrine-way-in"


class WayIn(Struct, frozen=True, kw_only=True):
    """Somebody on the way to a right."""

    right: str
    origin: str
    """Origin of the page with the viewer; "" if the request does not name it."""
    state: str
    """State that the provider's answer must repeat."""
    nonce: str = ""
    """Nonce that an ID token must repeat."""
    verifier: str = ""
    """Verifier of the code (RFC 7636)."""


def begin(right: str, origin: str) -> WayIn:
    """Return a new way in, with random values of 256 bits."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return WayIn(right=right, origin=origin, state=state, nonce=nonce, verifier=verifier)


def seal(way_in: WayIn, keys: Keys, clock: Callable[[], float] = time.time) -> str:
    """Return the text of its cookie."""
    claims = {
        **msgspec.to_builtins(way_in),
        "aud": _AUDIENCE,
        "exp": int(clock()) + SECONDS,
    }
    secret = _derive_secret(keys, keys.current)
    return str(jwt.encode(claims, secret, algorithm=_ALGORITHM, headers={"kid": keys.current}))


def unseal(text: str, state: str, keys: Keys) -> WayIn | None:
    """Return the way in that a cookie holds, if `state` is its own; None for any other."""
    if not text or len(text) > MAX_COOKIE_CHARACTERS:
        return None
    try:
        key = jwt.get_unverified_header(text).get("kid")
        if key not in keys.secrets:
            return None
        claims: dict[str, Any] = jwt.decode(
            text,
            _derive_secret(keys, key),
            algorithms=[_ALGORITHM],
            audience=_AUDIENCE,
            options={"require": ["exp", "aud"]},
        )
        way_in = msgspec.convert(claims, WayIn)
    except (jwt.InvalidTokenError, msgspec.ValidationError, TypeError):
        return None
    return way_in if hmac.compare_digest(way_in.state.encode(), state.encode()) else None


def _derive_secret(keys: Keys, name: str) -> bytes:
    """Return a secret of its own: what is signed here can never be taken for a ticket."""
    return hmac.digest(keys.secrets[name].encode(), _AUDIENCE.encode(), hashlib.sha256)
