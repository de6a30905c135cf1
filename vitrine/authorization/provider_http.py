"""Asks an OpenID Connect provider: short answers in JSON, soon, and no redirects."""

import time
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote_plus

import msgspec
import urllib3
from urllib3.exceptions import HTTPError
from urllib3.util import Retry, Timeout

from vitrine import __version__
from vitrine.errors import TransientError, VitrineError

CONNECT_SECONDS, READ_SECONDS, ANSWER_SECONDS = 3, 5, 8
"""To connect, for the next bytes, and for a whole answer."""
MAX_ANSWER_LENGTH = 256 << 10
_CHUNK = 16 << 10


class ProviderUnusable(VitrineError):
    """The provider answers what OpenID Connect does not allow, or refuses us; says what."""


class ProviderHttp(Protocol):
    """How a provider is asked."""

    def get(self, address: str) -> Any:
        """Return the JSON of an answer 200. Raises ProviderUnusable, TransientError."""
        ...

    def post(self, address: str, fields: Mapping[str, str], user: str, password: str) -> Any:
        """Return the JSON of an answer 200 to a form; without a password, nobody signs it.

        Raises ProviderUnusable, TransientError.
        """
        ...


class PooledHttp:
    """See ProviderHttp."""

    def __init__(self) -> None:
        self._pool = urllib3.PoolManager(
            headers={"User-Agent": f"Vitrine/{__version__}", "Accept": "application/json"},
            timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            # A code is good once: only a connection that never came to be is tried again.
            retries=Retry(total=1, connect=1, read=0, redirect=0, status=0, other=0),
        )

    def get(self, address: str) -> Any:
        """See ProviderHttp."""
        return self._send_request("GET", address)

    def post(self, address: str, fields: Mapping[str, str], user: str, password: str) -> Any:
        """See ProviderHttp."""
        headers = dict(self._pool.headers)
        if password:
            # RFC 6749, section 2.3.1: both are encoded as a form is, and joined.
            pair = f"{quote_plus(user)}:{quote_plus(password)}"
            headers |= urllib3.make_headers(basic_auth=pair)
        return self._send_request(
            "POST", address, fields=fields, headers=headers, encode_multipart=False
        )

    def _send_request(self, method: str, address: str, **options: Any) -> Any:
        deadline = time.monotonic() + ANSWER_SECONDS
        try:
            answer = self._pool.request(
                method, address, preload_content=False, redirect=False, **options
            )
            try:
                body = b""
                for chunk in answer.stream(_CHUNK):
                    body += chunk
                    if len(body) > MAX_ANSWER_LENGTH:
                        raise ProviderUnusable(f"{address} answers too much")
                    if time.monotonic() > deadline:
                        raise TransientError(f"{address} answers too slowly")
            finally:
                answer.close()
        except HTTPError as error:
            raise TransientError(f"{address} does not answer: {type(error).__name__}") from None
        if answer.status >= 500:
            raise TransientError(f"{address} answers {answer.status}")
        return _read_json(address, answer.status, body)


def _read_json(address: str, status: int, body: bytes) -> Any:
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise ProviderUnusable(f"{address} answers {status}, without JSON") from None
    if status != 200:
        # RFC 6749, section 5.2: one word, such as invalid_grant.
        code = content.get("error", "") if isinstance(content, dict) else ""
        raise ProviderUnusable(f"{address} answers {status} {str(code)[:100]!r}")
    return content
