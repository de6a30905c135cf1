"""The encoded tiles of a level, which wait until the head of the file can be written."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

_MEMORY_BYTES = 4 << 20
_CHUNK_BYTES = 1 << 20


class TileSpool:
    """Bytes in the order of writing: a few in memory, more in a file without a name."""

    def __init__(self, directory: Path) -> None:
        self._file = tempfile.SpooledTemporaryFile(_MEMORY_BYTES, dir=str(directory))  # noqa: SIM115
        self.size = 0
        """Bytes written so far."""

    def write(self, data: bytes) -> None:
        """Append `data`."""
        self.size += len(data)
        self._file.write(data)

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes from the first on, in chunks."""
        self._file.seek(0)
        while chunk := self._file.read(_CHUNK_BYTES):
            yield chunk

    def close(self) -> None:
        """Free the space."""
        self._file.close()
