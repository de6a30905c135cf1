"""A body as it arrives: to disk, within a time that its size allows.

nginx hands on what it has, since it says nothing to who stops in the middle of a body: it hangs up.
"""

import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any

from vitrine.api.problems import Problem

IDLE_SECONDS = 10.0
"""Without a byte; nginx must wait for longer (containers/nginx/photos.conf.template)."""
SLOWEST_BYTES_PER_SECOND = 32 << 10
"""On average over the whole body, which gets `IDLE_SECONDS` more than it needs at this rate."""
_PART_BYTES = 256 << 10


@contextmanager
def receive_body(environ: Mapping[str, Any], most_bytes: int) -> Iterator[IO[bytes]]:
    """Receive a body into a file, at most one byte more than `most_bytes`.

    Raises Problem with the codes photo-too-slow and photo-body-invalid.
    """
    length = min(int(environ.get("CONTENT_LENGTH") or 0), most_bytes + 1)
    with tempfile.TemporaryFile() as file:
        with _limit_time(environ.get("gunicorn.socket"), length) as late:
            received = _copy(environ["wsgi.input"], file, length, late)
        if received < length:
            if late.is_set():
                raise Problem("photo-too-slow", f"{received:,} of {length:,} bytes have come.")
            raise Problem("photo-body-invalid", f"It ends after {received:,} of {length:,} bytes.")
        file.seek(0)
        yield file


def _copy(source: Any, file: IO[bytes], length: int, late: threading.Event) -> int:
    received = 0
    try:
        while received < length:
            part = source.read(min(_PART_BYTES, length - received))
            if not part:
                break
            file.write(part)
            received += len(part)
    except TimeoutError:
        late.set()
    return received


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
