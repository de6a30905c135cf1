"""Lossless cropping of a JPEG to its upper left part: the coefficients stay as they are.

The codec's call lets other Python threads run. Source: turbojpeg.h of libjpeg-turbo 2.1.
"""

import ctypes
import struct
import threading
from functools import cache

from vitrine.deliver.tiles.stream import HUFFMAN_SEQUENTIAL, read_header
from vitrine.deliver.turbojpeg import Transform, turbojpeg

_CROP = 4  # TJXOPT
_WARNING = 0  # TJERR
_ROWS_LEFT_OVER = b"extraneous bytes before marker"
_HEIGHT_OFFSET = 5  # in SOF, from its marker on


class _Cropper:
    """The transformer of one thread."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._handle = library.tjInitTransform()

    def __del__(self) -> None:
        self._library.tjDestroy(self._handle)

    def crop(self, jpeg: bytes, width: int, height: int, *, ends_early: bool) -> bytes | None:
        """Crop a JPEG; `ends_early` says that the stream has more rows than its header says."""
        address, size = ctypes.c_void_p(), ctypes.c_ulong()
        region = Transform(0, 0, width, height, 0, _CROP, None, None)
        references = ctypes.byref(address), ctypes.byref(size), ctypes.byref(region)
        failed = self._library.tjTransform(self._handle, jpeg, len(jpeg), 1, *references, 0)
        try:
            if failed and not (ends_early and self._only_rows_were_left()):
                return None
            return ctypes.string_at(address, size.value)
        finally:
            self._library.tjFree(address)

    def _only_rows_were_left(self) -> bool:
        error: bytes = self._library.tjGetErrorStr2(self._handle)
        warning = self._library.tjGetErrorCode(self._handle) == _WARNING
        return warning and _ROWS_LEFT_OVER in error


class _Local(threading.local):
    def __init__(self) -> None:
        self.cropper = _Cropper(turbojpeg())


@cache
def _croppers() -> _Local:
    return _Local()


def crop(jpeg: bytes, width: int, height: int) -> bytes | None:
    """Return the upper left `width` by `height` pixels as a JPEG, or None if that fails.

    Raises OSError if libjpeg-turbo is not installed.
    """
    header = read_header(jpeg)
    if header is None or not (0 < width <= header.width and 0 < height <= header.height):
        return None
    shorter = height < header.height and header.frame in HUFFMAN_SEQUENTIAL
    if shorter:
        # The codec then stops at the last row needed: half the work, the same bytes.
        at = header.frame_offset + _HEIGHT_OFFSET
        jpeg = b"".join((jpeg[:at], struct.pack(">H", height), jpeg[at + 2 :]))
    return _croppers().cropper.crop(jpeg, width, height, ends_early=shorter)
