"""A photograph's bytes in memory, read at a position as masters are."""

import os
from mmap import ACCESS_READ, mmap
from typing import IO

PhotoData = bytes | mmap
"""In memory, or in a file that is mapped into it, without a copy."""


class PhotoBytes:
    """The port `MasterBytes` over the body of a request."""

    def __init__(self, data: PhotoData) -> None:
        self.data = data
        self.size = len(data)
        self._view = memoryview(data)

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes, b"" from the end on."""
        return bytes(self._view[position : position + size])


def map_file(file: IO[bytes]) -> PhotoData:
    """Return the bytes of a file that has no name, and so cannot shrink while they are read."""
    file.flush()
    size = os.fstat(file.fileno()).st_size
    return mmap(file.fileno(), size, access=ACCESS_READ) if size else b""
