"""The colours of a PNG without a profile, by the chunk of the highest precedence.

Source: PNG Specification (Third Edition), 4.3 and 11.3.2: cICP, iCCP, sRGB, then cHRM and gAMA.
EXIF counts where all of them are absent.
"""

import struct
from collections.abc import Mapping

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    colour_tags_unusable,
    colours_without_profile,
)
from vitrine.ingest.inspect.formats.code_points import profile_by_code_points
from vitrine.ingest.inspect.formats.exif_colour import colours_of_block, profile_by_exif
from vitrine.ingest.inspect.formats.made_profile import (
    ColourEncoding,
    gamma_curve,
    gamma_profile,
    is_srgb,
    make_profile,
    srgb_curve,
)
from vitrine.ingest.inspect.formats.picture_format import Colour

_SRGB_GAMMA, _GAMMA_TOLERANCE = 45_455, 2_300
"""gAMA of sRGB, and the difference (5 %) up to which it still means sRGB in practice."""
_UNIT = 100_000
_RGB_MATRIX, _FULL_RANGE = 0, 1


def read_png_colours(
    chunks: Mapping[bytes, bytes], colour: Colour
) -> tuple[bytes | None, tuple[MasterNote, ...]]:
    """Return a profile made of the chunks, if they say other than sRGB, and notes.

    Raises MasterRejected: high-dynamic-range, unsupported-colour.
    """
    if b"cICP" in chunks:
        return _by_code_points(chunks[b"cICP"], colour), ()
    if b"iCCP" in chunks or b"sRGB" in chunks:
        return None, ()
    points, gamma = _read_points(chunks.get(b"cHRM", b"")), _read_gamma(chunks.get(b"gAMA", b""))
    if points is None and gamma is None:
        return profile_by_exif(colours_of_block(chunks.get(b"eXIf", b"")), colour)
    if points is None or colour == "gray" or is_srgb(points[1:], points[0]):  # type: ignore[arg-type]
        return _by_gamma(gamma, colour), ()
    curve = srgb_curve() if gamma is None else gamma_curve(_UNIT / gamma)
    profile = make_profile(ColourEncoding((curve,), points[1:], points[0]), colour)  # type: ignore[arg-type]
    if profile is None:
        return _by_gamma(gamma, colour), (colour_tags_unusable("PNG cHRM"),)
    return profile, (colours_without_profile("PNG cHRM"),)


def _by_code_points(points: bytes, colour: Colour) -> bytes | None:
    if len(points) != 4 or points[2] != _RGB_MATRIX or points[3] != _FULL_RANGE:
        raise rejections.unsupported_colour(f"PNG code points {tuple(points[:4])}")
    return profile_by_code_points(points[0], points[1], colour)


def _by_gamma(gamma: int | None, colour: Colour) -> bytes | None:
    if gamma is None or abs(gamma - _SRGB_GAMMA) <= _GAMMA_TOLERANCE:
        return None
    return gamma_profile(_UNIT / gamma, colour)


def _read_gamma(data: bytes) -> int | None:
    return struct.unpack(">I", data)[0] or None if len(data) == 4 else None


def _read_points(data: bytes) -> tuple[tuple[float, float], ...] | None:
    """Return the chromaticities of white, red, green and blue."""
    if len(data) != 32:
        return None
    values = [value / _UNIT for value in struct.unpack(">8I", data)]
    return tuple(zip(values[::2], values[1::2], strict=True))
