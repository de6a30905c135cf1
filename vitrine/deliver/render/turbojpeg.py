"""The C functions of libjpeg-turbo that decode and encode. Source: turbojpeg.h of 2.1."""

import ctypes
from functools import cache
from typing import Any

PLANES = ctypes.c_void_p * 3
STRIDES = ctypes.c_int * 3


@cache
def turbojpeg() -> ctypes.CDLL:
    """The library, with the types of what we call. Raises OSError when it is not installed."""
    library = ctypes.CDLL("libturbojpeg.so.0")
    pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong
    stream, out = (ctypes.c_char_p, size), ctypes.POINTER
    result = (out(pointer), out(size))
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "tjInitDecompress": (pointer, ()),
        "tjInitCompress": (pointer, ()),
        "tjDestroy": (number, (pointer,)),
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
