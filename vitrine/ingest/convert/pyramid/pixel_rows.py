"""The rows of a libvips image, top to bottom, in one sequential pass."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyvips

from vitrine.ingest.convert.pyramid.shrink import Pixels

_ROWS = 16

TakeRows = Callable[[Pixels], None]
"""Takes the next rows; when it returns, they are overwritten."""


def push_rows(image: Any, take: TakeRows) -> None:
    """Call `take` with consecutive rows until `image`, 8 bit with three bands, ends.

    Raises what `take` raised, else pyvips.Error when the image cannot be decoded: nothing may be
    raised through libvips, so a failure is kept here.
    """
    gatherer = _Gatherer(image.width, image.bands, take)
    failures: list[BaseException] = []

    def on_write(data: bytes) -> int:
        if failures:
            return -1
        try:
            gatherer.add(data)
        except BaseException as error:
            failures.append(error)
            return -1
        return len(data)

    target = pyvips.TargetCustom()
    target.on_write(on_write)
    try:
        image.rawsave_target(target)
        if not failures:
            gatherer.flush()
    except pyvips.Error:
        if not failures:
            raise
    if failures:
        raise failures[0]


class _Gatherer:
    """Gathers lines into groups.

    libvips writes line by line; a few lines at a time cost a third of the interpreter's work.
    """

    def __init__(self, width: int, bands: int, take: TakeRows) -> None:
        self._buffer = bytearray(_ROWS * width * bands)
        self._view = memoryview(self._buffer)
        self._rows = np.frombuffer(self._buffer, np.uint8).reshape(_ROWS, width, bands)
        self._line = width * bands
        self._take = take
        self._filled = 0

    def add(self, data: bytes) -> None:
        """Take any number of bytes."""
        rest = memoryview(data)
        while rest:
            part = rest[: len(self._buffer) - self._filled]
            end = self._filled + len(part)
            self._view[self._filled : end] = part
            self._filled = end
            if end == len(self._buffer):
                self.flush()
            rest = rest[len(part) :]

    def flush(self) -> None:
        """Pass on the complete rows."""
        self._take(self._rows[: self._filled // self._line])
        self._filled = 0
