"""Colour profiles made of what a file says about its colours without a profile.

Sources: ICC.1:2001-04, 6 and 9; Bradford adaptation: ICC.1:2022, annex E.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitrine.ingest.inspect.formats.picture_format import Colour

Chromaticity = tuple[float, float]
"""x and y of CIE 1931."""
Primaries = tuple[Chromaticity, Chromaticity, Chromaticity]
Floats = NDArray[np.floating[Any]]

D65: Chromaticity = (0.3127, 0.3290)
SRGB_PRIMARIES: Primaries = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
ADOBE_PRIMARIES: Primaries = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
P3_PRIMARIES: Primaries = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
BT2020_PRIMARIES: Primaries = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
ADOBE_GAMMA = 563 / 256
"""Source: Adobe RGB (1998) Color Image Encoding, 4.3.1."""
_TOLERANCE = 0.005
"""Difference of chromaticities that nobody sees: files round to three or four digits."""
_MIN_DETERMINANT = 1e-3
_D50 = np.array([0.9642, 1.0, 0.8249])
_BRADFORD = np.array(
    [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
)
_HEADER_BYTES, _ENTRY_BYTES = 128, 12
_CURVE_STEPS = 4_096
_RGB = (b"r", b"g", b"b")


def gamma_curve(gamma: float) -> bytes:
    """Return the curve of samples to the power `gamma`."""
    value = min(max(round(gamma * 256), 1), 65535)
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, value) + b"\0\0"


def sampled_curve(values: Sequence[int]) -> bytes:
    """Return a curve from its light, 0 to 65535, at equal steps of the sample."""
    data = struct.pack(f">I{len(values)}H", len(values), *values)
    return b"curv\0\0\0\0" + data + bytes(-len(data) % 4)


def srgb_curve() -> bytes:
    """Return the transfer function of sRGB. Source: IEC 61966-2-1."""
    steps = (step / (_CURVE_STEPS - 1) for step in range(_CURVE_STEPS))
    light = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in steps)
    return sampled_curve([round(value * 65535) for value in light])


@dataclass(frozen=True)
class ColourEncoding:
    """How samples encode colours."""

    curves: tuple[bytes, ...]
    """The curve of all channels, or one of each."""
    primaries: Primaries = SRGB_PRIMARIES
    white: Chromaticity = D65


def is_srgb(primaries: Primaries, white: Chromaticity) -> bool:
    """Return True if these are sRGB's, but for rounding."""
    pairs = zip((*primaries, white), (*SRGB_PRIMARIES, D65), strict=True)
    return all(
        abs(stated - known) <= _TOLERANCE
        for one, other in pairs
        for stated, known in zip(one, other, strict=True)
    )


def make_profile(encoding: ColourEncoding, colour: Colour) -> bytes | None:
    """Return a version 2 display profile; None if such primaries span no colours."""
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", 5) + b"made\0" + bytes(79),
        b"cprt": b"text\0\0\0\0none\0\0\0\0",
        b"wtpt": _pack_xyz(_D50),
    }
    if colour == "gray":
        tags[b"kTRC"] = encoding.curves[0]
        return _assemble_profile(b"GRAY", tags)
    colorants = _compute_colorants(encoding.primaries, encoding.white)
    if colorants is None:
        return None
    curves = encoding.curves * 3 if len(encoding.curves) == 1 else encoding.curves
    tags |= {name + b"XYZ": _pack_xyz(column) for name, column in zip(_RGB, colorants, strict=True)}
    tags |= {name + b"TRC": curve for name, curve in zip(_RGB, curves, strict=True)}
    return _assemble_profile(b"RGB ", tags)


def gamma_profile(gamma: float, colour: Colour) -> bytes:
    """Return a profile: primaries of sRGB or gray, samples to the power `gamma`."""
    profile = make_profile(ColourEncoding((gamma_curve(gamma),)), colour)
    if profile is None:
        raise ValueError("sRGB's primaries span no colours")
    return profile


def _compute_colorants(primaries: Primaries, white: Chromaticity) -> list[Floats] | None:
    """Return XYZ of red, green and blue relative to D50; None if they are degenerate."""
    if not all(_is_plausible(point) for point in (*primaries, white)):
        return None
    columns = np.stack([_point_light(point) for point in primaries], axis=1)
    if abs(_matrix_determinant(columns)) < _MIN_DETERMINANT:
        return None
    amounts = _multiply_matrices(_invert_matrix(columns), _point_light(white))
    if amounts.min() <= 0:
        return None
    return list(_multiply_matrices(_adaptation_to_d50(_point_light(white)), columns * amounts).T)


def _is_plausible(point: Chromaticity) -> bool:
    """Return True for real colours, and for imaginary primaries as ProPhoto and ACES have them."""
    x, y = point
    return -0.2 <= x <= 1 and -0.2 <= y <= 1.1 and y != 0


def _point_light(point: Chromaticity) -> Floats:
    """Return XYZ of luminance 1."""
    x, y = point
    return np.array([x / y, 1.0, (1 - x - y) / y])


def _adaptation_to_d50(white: Floats) -> Floats:
    cones = _multiply_matrices(_BRADFORD, _D50) / _multiply_matrices(_BRADFORD, white)
    return _multiply_matrices(_invert_matrix(_BRADFORD), cones[:, None] * _BRADFORD)


def _multiply_matrices(matrix: Floats, other: Floats) -> Floats:
    """Multiply without linear algebra, which the layer's numpy does not have."""
    if other.ndim == 1:
        return (matrix * other).sum(axis=1)  # type: ignore[no-any-return]
    return (matrix[:, :, None] * other[None]).sum(axis=1)  # type: ignore[no-any-return]


def _matrix_determinant(matrix: Floats) -> float:
    return float((matrix[0] * np.cross(matrix[1], matrix[2])).sum())


def _invert_matrix(matrix: Floats) -> Floats:
    rows = [np.cross(matrix[(at + 1) % 3], matrix[(at + 2) % 3]) for at in range(3)]
    return np.stack(rows, axis=1) / _matrix_determinant(matrix)


def _pack_xyz(values: Iterable[float]) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(value * 65536) for value in values))


def _assemble_profile(space: bytes, tags: dict[bytes, bytes]) -> bytes:
    table, data = struct.pack(">I", len(tags)), b""
    start = _HEADER_BYTES + 4 + _ENTRY_BYTES * len(tags)
    for name, value in tags.items():
        table += name + struct.pack(">II", start + len(data), len(value))
        data += value + bytes(-len(value) % 4)
    size = start + len(data)
    head = struct.pack(">I4sI4s4s4s", size, b"none", 0x02100000, b"mntr", space, b"XYZ ")
    head += bytes(12) + b"acsp" + bytes(28) + _pack_xyz(_D50)[8:]
    return head.ljust(_HEADER_BYTES, b"\0") + table + data
