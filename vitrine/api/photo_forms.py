"""Signed forms: who may send photographs to the photo door, until when, how many, how large.

A form is a JSON Web Token, HS256 (RFC 7519). A caller of the API gets one; the
photo door verifies it and asks nobody. The key is an object of the bucket of records that the API's
Lambda and the photo door may read: the network of image tasks has an endpoint for S3, and none for
Secrets Manager (docs/adr/0031).
"""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import jwt
import msgspec

from vitrine.api.problems import Problem
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectStore
from vitrine.store.layout import PHOTO_FORM_KEYS

ALGORITHM = "HS256"
AUDIENCE = "vitrine-photos"
MAX_TOKEN_LENGTH = 4_096
MAX_SECONDS = 86_400
"""Seconds for which a form may be valid: a day."""
_KEY_BYTES = 32
_KEYS_SECONDS = 60.0
"""Seconds until keys are read again: a withdrawn key works for as long."""
_REQUIRED = ["exp", "sub", "aud"]


class FormKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key by its name; the secret is hexadecimal."""

    name: str
    secret: str


class FormKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys whose forms are valid; the first signs."""

    keys: tuple[FormKey, ...]


@dataclass(frozen=True, kw_only=True)
class Form:
    """What a form allows."""

    subject: str
    """Sender, by whom photographs are counted."""
    expires: int
    """Seconds since the epoch."""
    photos_per_hour: int
    most_bytes: int
    """Bytes of a photograph."""
    store: bool = True
    """True: the photograph may become a master; False: it only gets thumbnails."""
    upload: str = ""
    """Key of the one photograph in the bucket of masters that the form is for."""

    def claims(self) -> dict[str, Any]:
        """Return the claims of the token."""
        return {
            "aud": AUDIENCE,
            "sub": self.subject,
            "exp": self.expires,
            "photos_per_hour": self.photos_per_hour,
            "most_bytes": self.most_bytes,
            "store": self.store,
            "upload": self.upload,
        }


class Forms:
    """Signs and verifies; reads the keys from the bucket of records."""

    def __init__(self, records: ObjectStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._records = records
        self._clock = clock
        self._read_at = 0.0
        self._keys: tuple[FormKey, ...] = ()

    def sign(self, form: Form) -> str:
        """Return the token of a form; the first one ever makes the key. Raises TransientError."""
        keys = self._current_keys() or self.add_key()
        token = jwt.encode(
            form.claims(),
            bytes.fromhex(keys[0].secret),
            algorithm=ALGORITHM,
            headers={"kid": keys[0].name},
        )
        return str(token)

    def verify(self, token: str) -> Form:
        """Return what a token allows. Raises Problem with code `form-invalid`, TransientError."""
        if len(token) > MAX_TOKEN_LENGTH:
            raise Problem("form-invalid", "It is longer than any form.")
        try:
            name = jwt.get_unverified_header(token).get("kid")
            key = next((key for key in self._current_keys() if key.name == name), None)
            if key is None:
                raise Problem("form-invalid", "It is signed with a key that is not in use.")
            claims = jwt.decode(
                token,
                bytes.fromhex(key.secret),
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                options={"require": _REQUIRED},
            )
        except jwt.ExpiredSignatureError:
            raise Problem("form-invalid", "It has expired.") from None
        except jwt.InvalidTokenError:
            raise Problem("form-invalid", "Its signature or its claims are wrong.") from None
        return Form(
            subject=claims["sub"],
            expires=claims["exp"],
            photos_per_hour=claims["photos_per_hour"],
            most_bytes=claims["most_bytes"],
            store=claims["store"],
            upload=claims["upload"],
        )

    def add_key(self, *, withdraw: bool = False) -> tuple[FormKey, ...]:
        """Write a new key that signs from now on, and return all that are valid.

        The one before stays valid, for the forms that it signed, unless it is withdrawn.
        Raises TransientError.
        """
        new = FormKey(name=secrets.token_hex(4), secret=secrets.token_hex(_KEY_BYTES))
        keys, etag = self._read_keys()
        kept = () if withdraw else keys[:1]
        body = msgspec.json.encode(FormKeys(keys=(new, *kept)))
        with suppress(PreconditionFailed):  # somebody made one at the same moment
            self._records.put(PHOTO_FORM_KEYS, body, content_type="application/json", if_etag=etag)
        self._read_at = 0.0
        return self._current_keys()

    def _current_keys(self) -> tuple[FormKey, ...]:
        now = self._clock()
        if not self._read_at or now - self._read_at > _KEYS_SECONDS or not self._keys:
            self._keys, _ = self._read_keys()
            self._read_at = now
        return self._keys

    def _read_keys(self) -> tuple[tuple[FormKey, ...], str]:
        try:
            body, info = self._records.get(PHOTO_FORM_KEYS)
        except ObjectMissing:
            return (), ""
        return msgspec.json.decode(body, type=FormKeys).keys, info.etag
