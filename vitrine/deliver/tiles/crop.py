"""Lossless cropping of a JPEG to its upper left part: the coefficients stay as they are.

The codec's call lets other Python threads run. Source: turbojpeg.h of libjpeg-turbo 2.1.
"""

import ctypes
import struct

from vitrine.deliver.tiles.stream import HUFFMAN_SEQUENTIAL, read_header
from vitrine.deliver.turbojpeg import Transform, new_handle, turbojpeg

_CROP = 4  # TJXOPT
_WARNING = 0  # TJERR
_ROWS_LEFT_OVER = b"extraneous bytes before marker"
_HEIGHT_OFFSET = 5  # in SOF, from its marker on


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
    return _transform_jpeg(jpeg, width, height, ends_early=shorter)


def _transform_jpeg(jpeg: bytes, width: int, height: int, *, ends_early: bool) -> bytes | None:
    """Crop a JPEG; `ends_early` says that the stream has more rows than its header says."""
    library = turbojpeg()
    address, size = ctypes.c_void_p(), ctypes.c_ulong()
    region = Transform(0, 0, width, height, 0, _CROP, None, None)
    references = ctypes.byref(address), ctypes.byref(size), ctypes.byref(region)
    with new_handle("Transform") as handle:
        failed = library.tjTransform(handle, jpeg, len(jpeg), 1, *references, 0)
        try:
            if failed and not (ends_early and _only_rows_were_left(library, handle)):
                return None
            return ctypes.string_at(address, size.value)
        finally:
            library.tjFree(address)


def _only_rows_were_left(library: ctypes.CDLL, handle: int) -> bool:
    error: bytes = library.tjGetErrorStr2(handle)
    return library.tjGetErrorCode(handle) == _WARNING and _ROWS_LEFT_OVER in error
