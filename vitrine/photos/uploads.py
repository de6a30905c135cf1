"""A body as it arrives: the photograph to disk, within a time that its size allows.

nginx hands on what it has, since it says nothing to who stops in the middle of a body: it hangs up.
"""

import errno
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from vitrine.api.http import ApiRequest
from vitrine.api.problems import Problem
from vitrine.photos.bodies import Permit, Submission, is_json, receive_body
from vitrine.photos.photo_bytes import map_file

IDLE_SECONDS = 10.0
"""Without a byte; nginx must wait for longer (containers/nginx/photos.conf.template)."""
SLOWEST_BYTES_PER_SECOND = 32 << 10
"""On average over the whole body, which gets `IDLE_SECONDS` more than it needs at this rate."""
ABANDON_SECONDS = 5.0
"""For nginx to take an answer that comes before the body's end, and to hang up."""
RETRY_SECONDS = 30
_FIRST_BYTES, _PART_BYTES = 8 << 10, 256 << 10
"""Parts that are read of a form; the first has the fields: a sender without permission has not sent
much."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class Body:
    """The body of a request, as gunicorn gives it."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self.length = int(environ.get("CONTENT_LENGTH") or 0)
        self._source = environ["wsgi.input"]
        self._connection: socket.socket | None = environ.get("gunicorn.socket")
        self._received = 0

    @contextmanager
    def within_time(self) -> Iterator[Iterator[bytes]]:
        """Let the block read the parts of the body, for as long as its length allows.

        Where it ends too early or comes too slowly, a part raises Problem.
        """
        with _limit_time(self._connection, self.length) as late:
            yield self._read_parts(late)

    def abandon(self) -> None:
        """Let go by what has not been read, until nginx has taken the answer and hangs up.

        A socket that is closed before that is reset, and the answer lost.
        """
        if self._connection is None or self._received >= self.length:
            return
        deadline = time.monotonic() + ABANDON_SECONDS
        with suppress(OSError):
            while (left := deadline - time.monotonic()) > 0:
                self._connection.settimeout(left)
                if not self._connection.recv(_PART_BYTES):
                    return

    def _read_parts(self, late: threading.Event) -> Iterator[bytes]:
        while self._received < self.length:
            try:
                rest = self.length - self._received
                size = _PART_BYTES if self._received else _FIRST_BYTES
                # Of a form, the last line break alone would be taken for bytes behind its end.
                part = self._source.read(rest if rest <= size + len(b"\r\n") else size)
            except TimeoutError:
                late.set()
                break
            except ConnectionError:
                break
            if not part:
                break
            self._received += len(part)
            yield part
        if self._received == self.length:
            return
        if late.is_set():
            raise Problem(
                "photo-too-slow", f"{self._received:,} of {self.length:,} bytes have come."
            )
        raise Problem(
            "photo-body-invalid", f"It ends after {self._received:,} of {self.length:,} bytes."
        )


def receive_submission(body: Body, request: ApiRequest, permit: Permit) -> Submission:
    """Receive what a request brings, its photograph into a file that is mapped.

    `request` has no body yet. Raises Problem, with the codes photo-too-slow, photo-body-invalid and
    photos-no-space too.
    """
    try:
        with tempfile.TemporaryFile() as file:
            with body.within_time() as parts:
                submission = receive_body(request, parts, file, permit)
            return submission if is_json(request) else replace(submission, data=map_file(file))
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise Problem("photos-no-space", headers={"retry-after": str(RETRY_SECONDS)}) from None


@contextmanager
def _limit_time(connection: socket.socket | None, length: int) -> Iterator[threading.Event]:
    """Let reads of a connection end when nothing comes, and at a deadline; the event says so.

    A read waits for all that it was asked for, so that a byte now and then would keep it for ever:
    at the deadline, the connection's reading half is closed.
    """
    late = threading.Event()
    if connection is None:
        yield late
        return

    def close() -> None:
        late.set()
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RD)

    timer = threading.Timer(IDLE_SECONDS + length / SLOWEST_BYTES_PER_SECOND, close)
    timer.daemon = True
    connection.settimeout(IDLE_SECONDS)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        with suppress(OSError):
            connection.settimeout(None)
