"""libjxl by ctypes: a JPEG's coefficients, packed as JPEG XL does it and restorable bit for bit.

The whole of imagecodecs would be 79 MB for the same few calls; Debian's library is 3.5. Its encoder
of JPEGs has the mend of CVE-2024-11403 in both releases that we run on (0.7.0-10+deb12u1 and
0.11.2). The calls let other Python threads run, and keep nothing from one to the next.
Source: jxl/encode.h.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_LIBRARIES = ("libjxl.so.0.11", "libjxl.so.0.7")
"""Debian 13's, which containers have, and Debian 12's."""
_EFFORT, _EFFORT_OPTION = 3, 0
"""JXL_ENC_FRAME_SETTING_EFFORT: more makes a tile no smaller, less is slower and larger."""
_SUCCESS, _NEEDS_ROOM = 0, 2
_ROOM_BYTES = 4_096
"""More than the boxes around the smallest picture take."""


class UnsupportedJpeg(Exception):
    """The stream is no JPEG that JPEG XL can hold."""


def pack_jpeg(jpeg: bytes) -> bytes:
    """Return a JPEG XL from which any decoder restores the very `jpeg`, metadata included.

    Raises UnsupportedJpeg, and OSError if libjxl is not installed.
    """
    library = _load_libjxl()
    with _new_encoder() as encoder:
        settings = library.JxlEncoderFrameSettingsCreate(encoder, None)
        for status in (
            library.JxlEncoderUseContainer(encoder, 1),
            library.JxlEncoderStoreJPEGMetadata(encoder, 1),
            library.JxlEncoderFrameSettingsSetOption(settings, _EFFORT_OPTION, _EFFORT),
            library.JxlEncoderAddJPEGFrame(settings, jpeg, len(jpeg)),
        ):
            if status != _SUCCESS:
                raise UnsupportedJpeg(f"libjxl does not pack a JPEG of {len(jpeg)} bytes")
        library.JxlEncoderCloseInput(encoder)
        return b"".join(_read_output(encoder, len(jpeg) + _ROOM_BYTES))


def _read_output(encoder: int, room: int) -> Iterator[bytes]:
    """Yield the encoder's output in pieces of `room` bytes at most. Raises UnsupportedJpeg."""
    buffer = ctypes.create_string_buffer(room)
    status = _NEEDS_ROOM
    while status == _NEEDS_ROOM:
        after, left = ctypes.c_void_p(ctypes.addressof(buffer)), ctypes.c_size_t(room)
        status = _load_libjxl().JxlEncoderProcessOutput(
            encoder, ctypes.byref(after), ctypes.byref(left)
        )
        yield ctypes.string_at(buffer, room - left.value)
    if status != _SUCCESS:
        raise UnsupportedJpeg("libjxl does not pack this JPEG")


@contextmanager
def _new_encoder() -> Iterator[int]:
    encoder: int | None = _load_libjxl().JxlEncoderCreate(None)
    if encoder is None:
        raise MemoryError("libjxl has no memory for an encoder")
    try:
        yield encoder
    finally:
        _load_libjxl().JxlEncoderDestroy(encoder)


@cache
def _load_libjxl() -> ctypes.CDLL:
    """Load the library and declare the functions. Raises OSError if it is not installed."""
    library = _load_library()
    pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    reference = ctypes.POINTER
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "JxlEncoderCreate": (pointer, (pointer,)),
        "JxlEncoderDestroy": (None, (pointer,)),
        "JxlEncoderUseContainer": (number, (pointer, number)),
        "JxlEncoderStoreJPEGMetadata": (number, (pointer, number)),
        "JxlEncoderFrameSettingsCreate": (pointer, (pointer, pointer)),
        "JxlEncoderFrameSettingsSetOption": (number, (pointer, number, ctypes.c_int64)),
        "JxlEncoderAddJPEGFrame": (number, (pointer, ctypes.c_char_p, size)),
        "JxlEncoderCloseInput": (None, (pointer,)),
        "JxlEncoderProcessOutput": (number, (pointer, reference(pointer), reference(size))),
    }
    for name, (kind, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = kind, arguments
    return library


def _load_library() -> ctypes.CDLL:
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError(f"none of {', '.join(_LIBRARIES)} is installed")
