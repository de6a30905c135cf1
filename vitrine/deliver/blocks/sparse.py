"""Local files with holes, and the descriptors that are open on them."""

import ctypes
import os
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_KEEP_SIZE, _PUNCH_HOLE = 0x01, 0x02  # linux/falloc.h
_CLOSED = -1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)


def punch_hole(descriptor: int, start: int, length: int) -> None:
    """Return the bytes to the file system; from then on they read as zeros. Raises OSError.

    fallocate(2); Python's `os` has posix_fallocate only, which cannot.
    """
    while _libc.fallocate(descriptor, _KEEP_SIZE | _PUNCH_HOLE, start, length) != 0:
        code = ctypes.get_errno()
        if code != 4:  # EINTR
            raise OSError(code, os.strerror(code))


def punches_holes(directory: Path) -> bool:
    """Return True if the file system of `directory` punches holes: ext4, XFS, btrfs, tmpfs do."""
    probe = directory / "probe.tif"
    descriptor = os.open(probe, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.ftruncate(descriptor, 1 << 16)
        punch_hole(descriptor, 0, 1 << 15)
    except OSError:
        return False
    finally:
        os.close(descriptor)
        probe.unlink()
    return True


class SparseFile:
    """`size` bytes under `path`, all of them a hole at first.

    `write` and `punch` may run in any thread, the rest belongs to the event loop. They open the
    file themselves: `descriptor` is for reading, and may be closed at any time.
    """

    __slots__ = ("descriptor", "exists", "path", "size")

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self.exists = False
        self.descriptor = _CLOSED

    def create(self) -> None:
        """Create the file, if it does not exist. Raises OSError."""
        if self.exists:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # World-readable: iipsrv is another user in another container.
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            os.ftruncate(descriptor, self.size)
        finally:
            os.close(descriptor)
        self.exists = True

    def write(self, start: int, data: bytes) -> None:
        """Write `data` at `start`. Raises OSError; FileNotFoundError when the file was removed."""
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            view = memoryview(data)
            while view:
                written = os.pwrite(descriptor, view, start)
                start, view = start + written, view[written:]
        finally:
            os.close(descriptor)

    def punch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Turn ranges (offset, length) into holes. Raises OSError."""
        descriptor = os.open(self.path, os.O_RDWR)
        try:
            for start, length in ranges:
                punch_hole(descriptor, start, length)
        finally:
            os.close(descriptor)

    def unlink(self) -> int | None:
        """Remove the name now, and return a descriptor that holds the bytes.

        They are freed when the caller closes it: in a thread, since that can take long. The same
        path may be created again at once.
        """
        self.exists = False
        with suppress(FileNotFoundError):
            descriptor = os.open(self.path, os.O_RDONLY)
            self.path.unlink(missing_ok=True)
            return descriptor
        return None


class Descriptors:
    """At most `limit` files open for reading; the least recently used is closed first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: OrderedDict[SparseFile, None] = OrderedDict()
        self.touch = self._open.move_to_end
        """Note a use of an open file."""

    def open(self, file: SparseFile) -> int:
        """Open a file that is closed. Raises OSError."""
        while len(self._open) >= self._limit:
            self.close(next(iter(self._open)))
        file.descriptor = os.open(file.path, os.O_RDONLY)
        self._open[file] = None
        return file.descriptor

    def close(self, file: SparseFile) -> None:
        """Close a file, if it is open."""
        if file in self._open:
            del self._open[file]
            os.close(file.descriptor)
            file.descriptor = _CLOSED

    def close_all(self) -> None:
        """Close every file."""
        for file in list(self._open):
            self.close(file)
