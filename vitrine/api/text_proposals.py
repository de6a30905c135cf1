"""Asks a program of the institution's for a proposal of a text: one short answer, soon.

The operator chose its address (`text_proposals` of the environment). No redirect is followed, and
nothing of a caller gets into the address.
"""

import time
from typing import Any

import msgspec
import urllib3
from urllib3.exceptions import HTTPError
from urllib3.util import Timeout

from vitrine import __version__
from vitrine.api.http import JSON
from vitrine.api.problems import Problem

CONNECT_SECONDS, READ_SECONDS, ANSWER_SECONDS = 3, 20, 22
"""To connect, for the next bytes, and for a whole answer: the API's gateway waits for 30 s."""
MAX_ANSWER_BYTES = 64 << 10
MAX_CHARACTERS = 5_000
"""Characters of a proposal."""
_CHUNK = 16 << 10


class TextProposer:
    """The program at one address."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._pool = urllib3.PoolManager(
            headers={"User-Agent": f"Vitrine/{__version__}", "Accept": JSON, "Content-Type": JSON},
            timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
            retries=False,
        )

    def propose(self, picture: str, language: str) -> str:
        """Return a text in a language (BCP 47) for the picture at an address.

        Raises Problem with code `proposal-failed`.
        """
        body = msgspec.json.encode({"image": picture, "language": language})
        deadline = time.monotonic() + ANSWER_SECONDS
        try:
            answer = self._pool.request(
                "POST", self._address, body=body, preload_content=False, redirect=False
            )
            try:
                received = b""
                for chunk in answer.stream(_CHUNK, decode_content=False):
                    received += chunk
                    if len(received) > MAX_ANSWER_BYTES:
                        raise _failed("its answer is too long")
                    if time.monotonic() > deadline:
                        raise _failed("it answers too slowly")
            finally:
                answer.close()
        except HTTPError as error:
            raise _failed(f"it does not answer ({type(error).__name__})") from None
        if answer.status != 200:
            raise _failed(f"it answers {answer.status}")
        return _read_text(received)


def _read_text(body: bytes) -> str:
    try:
        content: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise _failed("its answer is no JSON") from None
    text = content.get("text") if isinstance(content, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise _failed('its answer has no "text"')
    if len(text) > MAX_CHARACTERS:
        raise _failed(f"its text has more than {MAX_CHARACTERS:,} characters")
    return text.strip()


def _failed(reason: str) -> Problem:
    return Problem("proposal-failed", f"The program that proposes texts failed: {reason}.")
