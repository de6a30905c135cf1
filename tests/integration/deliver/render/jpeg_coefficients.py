"""The quantised coefficients of a JPEG, as libjpeg-turbo reads them."""

import ctypes
from typing import Any

import numpy as np

from vitrine.deliver.turbojpeg import Transform, new_handle, turbojpeg

_NO_OUTPUT = 16  # TJXOPT
_BLOCK = 8


class _Region(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("x", "y", "width", "height")]


_FILTER = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.POINTER(ctypes.c_short),
    _Region,
    _Region,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_void_p,
)


def read_coefficients(jpeg: bytes, *, damaged_too: bool = False) -> list[Any]:
    """Return rows, columns and 64 coefficients of the blocks of each channel.

    What libjpeg only warns of is let through `damaged_too`; raises AssertionError otherwise.
    """
    rows: list[list[Any]] = [[], [], []]

    def keep(data: Any, part: _Region, plane: _Region, channel: int, *_: Any) -> int:
        blocks = np.ctypeslib.as_array(data, (part.width // _BLOCK, _BLOCK * _BLOCK))
        rows[channel].append(blocks.copy())
        return 0

    keep_row = _FILTER(keep)
    whole = Transform(0, 0, 0, 0, 0, _NO_OUTPUT, None, ctypes.cast(keep_row, ctypes.c_void_p))
    address, size = ctypes.c_void_p(), ctypes.c_ulong()
    with new_handle("Transform") as handle:
        failed = turbojpeg().tjTransform(
            handle, jpeg, len(jpeg), 1, ctypes.byref(address), ctypes.byref(size), whole, 0
        )
        accepted = not failed or (damaged_too and not turbojpeg().tjGetErrorCode(handle))
        turbojpeg().tjFree(address)
        assert accepted, turbojpeg().tjGetErrorStr2(handle)
    return [np.stack(channel) for channel in rows if channel]
