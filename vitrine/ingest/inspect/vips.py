"""libvips as we run it: no operation cache, small allocations, our own sources."""

import ctypes
import io
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import pyvips

from vitrine.ingest.inspect.master_bytes import MasterBytes

_M_MMAP_THRESHOLD = -3
_MMAP_THRESHOLD_BYTES = 65_536
_MMAP_THRESHOLD_VARIABLE = "MALLOC_MMAP_THRESHOLD_"

_LOADERS: dict[str, Callable[..., Any]] = {
    "tiff": lambda source, **options: pyvips.Image.tiffload_source(source, **options),
    "jpeg": lambda source, **options: pyvips.Image.jpegload_source(source, **options),
    "png": lambda source, **options: pyvips.Image.pngload_source(source, **options),
    "webp": lambda source, **options: pyvips.Image.webpload_source(source, **options),
    "avif": lambda source, **options: pyvips.Image.heifload_source(source, **options),
    "gif": lambda source, **options: pyvips.Image.gifload_source(source, **options),
}
_ROW_VIEWS = frozenset({"photoshop", "bmp"})
"""Formats that are shown to libvips as TIFFs (`vitrine.ingest.inspect.formats.row_view`)."""
_TAKES_UNLIMITED = frozenset({"tiff", "jpeg", "png"})


@cache
def prepare_libvips() -> None:
    """Set libvips up, once per process, before the first image.

    The operation cache would return the pixels of an earlier file of the same path, and glibc's
    arenas keep what libvips freed unless larger blocks are mapped. A process that was started
    with a threshold of its own keeps that.
    """
    pyvips.cache_set_max(0)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt and _MMAP_THRESHOLD_VARIABLE not in os.environ:
        mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)


def load(
    source: pyvips.Source,
    file_format: str,
    *,
    page: int = 0,
    subifd: int = -1,
    random: bool = False,
    fail_on: str = "error",
    shrink: int = 1,
) -> Any:
    """Open an image strictly: whatever is wrong in it raises pyvips.Error, now or at its pixels.

    With `fail_on="warning"` even warnings raise: JPEG decoders fill gaps and only warn. A JPEG is
    reduced while it is decoded by a `shrink` of 2, 4 or 8.

    The loader is named, so a file cannot choose another one (libvips would read CSV as well).
    """
    prepare_libvips()
    file_format = "tiff" if file_format in _ROW_VIEWS else file_format
    access = "random" if random else "sequential"
    options: dict[str, Any] = {"access": access, "fail_on": fail_on}
    if file_format in _TAKES_UNLIMITED:
        options["unlimited"] = True
    if shrink > 1:
        options["shrink"] = shrink
    if file_format == "tiff":
        options |= {"page": page, "subifd": subifd}
    return _LOADERS[file_format](source, **options)


class RangedSources:
    """Opens pyvips sources over a master's bytes. Keep it until the last pixel has been read.

    libvips sees a failed read as a damaged file; `raise_failure` raises the error behind it.
    """

    def __init__(self, file: MasterBytes) -> None:
        self._file = file
        self._failures: list[Exception] = []
        self._opened: list[pyvips.Source] = []

    def __call__(self) -> pyvips.Source:
        """Return a new source, at the beginning of the file.

        It does not refer to us: in a circle, the file would stay until the next garbage collection.
        """
        file, failures, position = self._file, self._failures, 0

        def read(size: int) -> bytes:
            nonlocal position
            try:
                data = file.read_at(position, size)
            except Exception as error:
                # No exception may go through C.
                failures.append(error)
                return b""
            position += len(data)
            return data

        def seek(offset: int, whence: int) -> int:
            nonlocal position
            base = {io.SEEK_SET: 0, io.SEEK_CUR: position, io.SEEK_END: file.size}[whence]
            position = max(base + offset, 0)
            return position

        source = pyvips.SourceCustom()
        source.on_read(read)
        source.on_seek(seek)
        self._opened.append(source)
        return source

    def raise_failure(self) -> None:
        """Raise the error of a read, if one failed."""
        if self._failures:
            raise self._failures[-1]
