"""The C functions of libjpeg-turbo that we call. Source: turbojpeg.h of 2.1.

A handle keeps tables, sizes and errors of the streams it has seen: after a damaged tile it may
refuse every good one, or complete a tile without tables with another image's. So each call has a
handle of its own, which costs 0.6 µs.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

PLANES = ctypes.c_void_p * 3
STRIDES = ctypes.c_int * 3


class Transform(ctypes.Structure):
    """tjtransform: a region in pixels, an operation and its options."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("x", "y", "width", "height", "operation", "options")),
        ("data", ctypes.c_void_p),
        ("filter", ctypes.c_void_p),
    ]


@contextmanager
def new_handle(purpose: Literal["Decompress", "Compress", "Transform"]) -> Iterator[int]:
    """Create a handle that has seen no picture yet, and destroy it afterwards.

    Raises OSError if the library is not installed, MemoryError.
    """
    library = turbojpeg()
    handle: int | None = getattr(library, f"tjInit{purpose}")()
    if handle is None:
        raise MemoryError("libjpeg-turbo has no memory for a handle")
    try:
        yield handle
    finally:
        library.tjDestroy(handle)


@cache
def turbojpeg() -> ctypes.CDLL:
    """Load the library and declare the functions. Raises OSError if it is not installed."""
    library = ctypes.CDLL("libturbojpeg.so.0")
    pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong
    stream, out = (ctypes.c_char_p, size), ctypes.POINTER
    result = (out(pointer), out(size))
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "tjInitDecompress": (pointer, ()),
        "tjInitCompress": (pointer, ()),
        "tjInitTransform": (pointer, ()),
        "tjDestroy": (number, (pointer,)),
        "tjFree": (None, (pointer,)),
        "tjTransform": (number, (pointer, *stream, number, *result, out(Transform), number)),
        "tjGetErrorStr2": (ctypes.c_char_p, (pointer,)),
        "tjGetErrorCode": (number, (pointer,)),
        "tjBufSize": (size, (number,) * 3),
        "tjDecompressHeader3": (number, (pointer, *stream, *(out(number),) * 4)),
        "tjDecompress2": (number, (pointer, *stream, pointer, *(number,) * 5)),
        "tjDecompressToYUVPlanes": (
            number,
            (pointer, *stream, PLANES, number, STRIDES, number, number),
        ),
        "tjCompress2": (number, (pointer, pointer, *(number,) * 4, *result, *(number,) * 3)),
        "tjCompressFromYUVPlanes": (
            number,
            (pointer, PLANES, number, STRIDES, number, number, *result, number, number),
        ),
    }
    for name, (kind, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = kind, arguments
    return library
