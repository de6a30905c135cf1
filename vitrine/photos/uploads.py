"""A body as it arrives: the photograph to disk, within a time that its size allows.

nginx hands on what it has, since it says nothing to who stops in the middle of a body: it hangs up.
"""

import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from vitrine.api.http import Request
from vitrine.api.problems import Problem
from vitrine.photos.bodies import Submission, is_form, read_form, read_submission
from vitrine.photos.photo_bytes import map_file

IDLE_SECONDS = 10.0
"""Without a byte; nginx must wait for longer (containers/nginx/photos.conf.template)."""
SLOWEST_BYTES_PER_SECOND = 32 << 10
"""On average over the whole body, which gets `IDLE_SECONDS` more than it needs at this rate."""
_PART_BYTES = 256 << 10


@contextmanager
def receive_submission(
    environ: Mapping[str, Any], request: Request, most_bytes: int
) -> Iterator[Submission]:
    """Receive what a request brings, its photograph into a file; `request` has no body yet.

    Raises Problem, with the codes photo-too-slow and photo-body-invalid too.
    """
    length = int(environ.get("CONTENT_LENGTH") or 0)
    with tempfile.TemporaryFile() as file:
        with _limit_time(environ.get("gunicorn.socket"), length) as late:
            parts = _read_parts(environ["wsgi.input"], min(length, most_bytes + 1), late)
            try:
                if length > most_bytes:
                    raise Problem("photo-too-large", f"At most {most_bytes >> 20:,} MiB are taken.")
                if is_form(request):
                    fields, media_type = read_form(request, parts, file)
                else:
                    file.writelines(parts)
            except Problem:
                # nginx passes an answer on only when its request has been taken.
                for _ in parts:
                    pass
                raise
        data = map_file(file)
        if is_form(request):
            yield Submission(data=data, media_type=media_type, fields=fields)
        else:
            yield read_submission(request, data)


def _read_parts(source: Any, length: int, late: threading.Event) -> Iterator[bytes]:
    received = 0
    while received < length:
        try:
            rest = length - received
            # Of a form, the last line break alone would be taken for bytes behind its end.
            part = source.read(rest if rest <= _PART_BYTES + len(b"\r\n") else _PART_BYTES)
        except TimeoutError:
            late.set()
            break
        if not part:
            break
        received += len(part)
        yield part
    if received == length:
        return
    if late.is_set():
        raise Problem("photo-too-slow", f"{received:,} of {length:,} bytes have come.")
    raise Problem("photo-body-invalid", f"It ends after {received:,} of {length:,} bytes.")


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
