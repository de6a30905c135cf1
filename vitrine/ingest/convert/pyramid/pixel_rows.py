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

    Raises what `take` raised, else pyvips.Error when the image cannot be decoded.
    """
    gatherer = _Gatherer(image.width, image.bands, take)
    target = pyvips.TargetCustom()
    # As `on_write`, which would call once more for each line.
    target.signal_connect("write", gatherer.write)
    try:
        image.rawsave_target(target)
        if not gatherer.failure:
            gatherer.flush()
    except pyvips.Error:
        if not gatherer.failure:
            raise
    if gatherer.failure:
        raise gatherer.failure


class _Gatherer:
    """Gathers lines into groups.

    libvips writes line by line; a few lines at a time cost a third of the interpreter's work.
    """

    def __init__(self, width: int, bands: int, take: TakeRows) -> None:
        self._size = _ROWS * width * bands
        self._view = memoryview(bytearray(self._size))
        self._rows = np.frombuffer(self._view, np.uint8).reshape(_ROWS, width, bands)
        self._line = width * bands
        self._take = take
        self._filled = 0
        self.failure: BaseException | None = None
        """What `take` raised: nothing may be raised through libvips."""

    def write(self, data: bytes) -> int:
        """Take any number of bytes; return how many, or -1 after a failure."""
        end = self._filled + len(data)
        if end < self._size:  # one of the first lines of a group, nearly always
            self._view[self._filled : end] = data
            self._filled = end
            return len(data)
        if not self.failure:
            try:
                self._fill_buffer(memoryview(data))
            except BaseException as error:
                self.failure = error
        return -1 if self.failure else len(data)

    def flush(self) -> None:
        """Pass on the complete rows."""
        self._take(self._rows[: self._filled // self._line])
        self._filled = 0

    def _fill_buffer(self, rest: memoryview) -> None:
        while rest:
            part = rest[: self._size - self._filled]
            end = self._filled + len(part)
            self._view[self._filled : end] = part
            self._filled = end
            if end == self._size:
                self.flush()
            rest = rest[len(part) :]
