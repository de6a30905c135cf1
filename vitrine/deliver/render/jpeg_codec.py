"""libjpeg-turbo by ctypes: its Python wrappers do not decode into a part of a picture.

The calls let other Python threads run, and keep nothing from one to the next.
Raises OSError if libjpeg-turbo is not installed. Source: turbojpeg.h of libjpeg-turbo 2.1.
"""

import ctypes
import random

from vitrine.deliver.render.pixels import Pixels, address_of
from vitrine.deliver.turbojpeg import PLANES, STRIDES, new_handle, turbojpeg

_RGB, _GRAY = 0, 6  # TJPF
_YCBCR = 1  # TJCS
_ACCURATE_DCT, _NO_REALLOC = 4096, 1024  # TJFLAG
_WARNING = 0  # TJERR
SUBSAMPLINGS: dict[tuple[int, int], int] = {(1, 1): 0, (2, 1): 1, (2, 2): 2}
"""TJSAMP by horizontal and vertical factor."""
_GRAY_ONLY = 3
_UNWRITTEN = random.Random(0).randbytes(65_500 * 3)
"""Pattern that no decoder writes: noise as wide as the widest JPEG."""


class DamagedJpeg(Exception):
    """The stream cannot be decoded, or is not the picture that was expected."""


def decode_pixels(
    stream: bytes,
    address: int,
    row_bytes: int,
    size: tuple[int, int],
    *,
    bands: int,
    tolerant: bool,
) -> None:
    """Write the pixels of a picture of `size`, RGB or of 1 band, rows `row_bytes` apart.

    The memory must be large enough. Raises DamagedJpeg, also for another size; `tolerant`
    accepts what the decoder only warns of.
    """
    width, height = size
    last_row, row_length = address + (height - 1) * row_bytes, width * bands
    if tolerant:
        ctypes.memmove(last_row, _UNWRITTEN, row_length)
    with new_handle("Decompress") as handle:
        _check_size(handle, stream, size)
        failed = turbojpeg().tjDecompress2(
            handle,
            stream,
            len(stream),
            address,
            width,
            row_bytes,
            height,
            _GRAY if bands == 1 else _RGB,
            0,
        )
        if not failed:
            return
        # An error after a warning counts as a warning, too, but leaves rows as they were.
        only_warned = turbojpeg().tjGetErrorCode(handle) == _WARNING
        written = ctypes.string_at(last_row, row_length) != _UNWRITTEN[:row_length]
        if not (tolerant and only_warned and written):
            raise DamagedJpeg(_error_text(handle))


def decode_planes(
    stream: bytes,
    addresses: list[int],
    row_bytes: list[int],
    size: tuple[int, int],
    subsampling: tuple[int, int],
) -> None:
    """Write luma and both chromas as they are stored to three addresses in memory.

    Raises DamagedJpeg, also for another size, colour space or subsampling, and for warnings.
    """
    with new_handle("Decompress") as handle:
        if _check_size(handle, stream, size) != (SUBSAMPLINGS[subsampling], _YCBCR):
            raise DamagedJpeg("its colours are not stored as its level says")
        width, height = size
        planes, strides = PLANES(*addresses), STRIDES(*row_bytes)
        decode = turbojpeg().tjDecompressToYUVPlanes
        if decode(handle, stream, len(stream), planes, width, strides, height, 0):
            raise DamagedJpeg(_error_text(handle))


def encode_pixels(pixels: Pixels, quality: int, subsampling: tuple[int, int]) -> bytes:
    """Encode RGB or gray pixels."""
    gray = pixels.bands == 1
    width, height = pixels.box.width, pixels.box.height
    kind = _GRAY_ONLY if gray else SUBSAMPLINGS[subsampling]
    room = _Room(turbojpeg().tjBufSize(width, height, kind))
    with new_handle("Compress") as handle:
        failed = turbojpeg().tjCompress2(
            handle,
            pixels.address,
            width,
            pixels.row_bytes,
            height,
            _GRAY if gray else _RGB,
            *room.references,
            kind,
            quality,
            _NO_REALLOC | _ACCURATE_DCT,
        )
        if failed:
            raise RuntimeError(_error_text(handle))
    return room.content()


def encode_planes(planes: list[bytes], size: tuple[int, int], quality: int) -> bytes:
    """Encode luma and chromas of the same size, (width, height), as 4:4:4."""
    width, height = size
    kind = SUBSAMPLINGS[1, 1]
    room = _Room(turbojpeg().tjBufSize(width, height, kind))
    # libjpeg-turbo only reads them.
    addresses = (ctypes.cast(ctypes.c_char_p(plane), ctypes.c_void_p).value for plane in planes)
    with new_handle("Compress") as handle:
        failed = turbojpeg().tjCompressFromYUVPlanes(
            handle,
            PLANES(*addresses),
            width,
            STRIDES(width, width, width),
            height,
            kind,
            *room.references,
            quality,
            _NO_REALLOC | _ACCURATE_DCT,
        )
        if failed:
            raise RuntimeError(_error_text(handle))
    return room.content()


def _check_size(handle: int, stream: bytes, size: tuple[int, int]) -> tuple[int, int]:
    """Check the size of a stream, and return its TJSAMP and TJCS. Raises DamagedJpeg."""
    fields = [ctypes.c_int() for _ in range(4)]
    references = (ctypes.byref(number) for number in fields)
    if turbojpeg().tjDecompressHeader3(handle, stream, len(stream), *references):
        raise DamagedJpeg(_error_text(handle))
    if (fields[0].value, fields[1].value) != size:
        raise DamagedJpeg(f"it has {fields[0].value} by {fields[1].value} pixels, not {size}")
    return fields[2].value, fields[3].value


def _error_text(handle: int) -> str:
    text: bytes = turbojpeg().tjGetErrorStr2(handle)
    return text.decode("ascii", "replace")


class _Room:
    """Memory for the largest possible result of an encoder: only the part used costs."""

    def __init__(self, size: int) -> None:
        self._memory = bytearray(size)
        self._address = ctypes.c_void_p(address_of(self._memory))
        self._size = ctypes.c_ulong(size)
        self.references = ctypes.byref(self._address), ctypes.byref(self._size)

    def content(self) -> bytes:
        return bytes(memoryview(self._memory)[: self._size.value])
