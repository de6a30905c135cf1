"""Outputs for the bytes of an access master: a file, or straight into an object store.

The pixels come first and the head last, because the head holds the lengths of the tiles. So full
resolution streams, and the front (head and small levels) is put before it at the end.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from vitrine.ingest.convert.pyramid.tile_spool import TileSpool
from vitrine.ports import MultipartUpload, ObjectStore

MINIMUM_PART_BYTES = 5 << 20
"""S3 accepts smaller parts only at an object's end."""
PART_BYTES = 6 << 20
_FRONT_PARTS = 1_000
"""Part numbers kept for the front: they need not be consecutive, only in order."""
_PARTS_UNDER_WAY = 2


class Output(Protocol):
    """Takes the bytes of one access master."""

    def write(self, data: bytes) -> None:
        """Write the next bytes of full resolution."""
        ...

    def finish(self, front: Iterable[bytes], tail: bytes) -> None:
        """Write what comes before full resolution, and what comes after it."""
        ...


class FileOutput:
    """A file at `path`; full resolution waits in a nameless file in the same folder.

    The file appears when it is complete; a `with` block frees the space after a failure.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._full = TileSpool(path.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._full.close()

    def write(self, data: bytes) -> None:
        self._full.write(data)

    def finish(self, front: Iterable[bytes], tail: bytes) -> None:
        with self._path.open("wb") as file:
            for chunk in front:
                file.write(chunk)
            for chunk in self._full.chunks():
                file.write(chunk)
            file.write(tail)


class StoreOutput:
    """An object; nothing of it stays in the store when the `with` block fails.

    Parts are sent while the next ones are encoded. An object smaller than one part is a single put.
    """

    def __init__(
        self, store: ObjectStore, key: str, *, content_type: str, metadata: Mapping[str, str]
    ) -> None:
        self._store, self._key = store, key
        self._content_type, self._metadata = content_type, metadata
        self._stack = ExitStack()
        self._upload: tuple[MultipartUpload, ThreadPoolExecutor] | None = None
        self._lead = bytearray()
        self._buffer = bytearray()
        self._number = _FRONT_PARTS
        self._under_way: deque[Future[None]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(error_type, error, trace)

    def write(self, data: bytes) -> None:
        room = MINIMUM_PART_BYTES - len(self._lead)
        self._lead += data[:room]
        self._buffer += data[room:]
        while len(self._buffer) >= PART_BYTES:
            self._number += 1
            self._send_part(self._number, bytes(self._buffer[:PART_BYTES]))
            del self._buffer[:PART_BYTES]

    def finish(self, front: Iterable[bytes], tail: bytes) -> None:
        if not self._upload:
            whole = b"".join(front) + self._lead + self._buffer + tail
            if len(whole) < MINIMUM_PART_BYTES:
                self._put_object(whole)
                return
            front, self._lead, self._buffer, tail = [whole], bytearray(), bytearray(), b""
        rest = bytes(self._buffer + tail)
        if rest:
            self._send_part(self._number + 1, rest)
        self._send_front(front)
        while self._under_way:
            self._under_way.popleft().result()

    def _send_front(self, front: Iterable[bytes]) -> None:
        """Send the front in parts of the minimum size; a rest too short joins the last part."""
        block, number = bytearray(), 0
        for chunk in (*front, bytes(self._lead)):
            block += chunk
            if len(block) >= PART_BYTES + MINIMUM_PART_BYTES:
                number += 1
                self._send_part(number, bytes(block[:PART_BYTES]))
                del block[:PART_BYTES]
        self._send_part(number + 1, bytes(block))

    def _send_part(self, number: int, data: bytes) -> None:
        if len(self._under_way) == _PARTS_UNDER_WAY:
            self._under_way.popleft().result()
        upload, pool = self._upload = self._upload or self._begin_upload()
        self._under_way.append(pool.submit(upload.part, number, data))

    def _begin_upload(self) -> tuple[MultipartUpload, ThreadPoolExecutor]:
        upload = self._store.multipart(
            self._key, content_type=self._content_type, metadata=self._metadata
        )
        pool = ThreadPoolExecutor(_PARTS_UNDER_WAY, thread_name_prefix="upload")
        return self._stack.enter_context(upload), self._stack.enter_context(pool)

    def _put_object(self, body: bytes) -> None:
        self._store.put(self._key, body, content_type=self._content_type, metadata=self._metadata)
