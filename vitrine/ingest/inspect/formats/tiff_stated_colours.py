"""The colours of a TIFF: its profile, or else its colorimetric tags or its EXIF.

Source: TIFF 6.0, section 20: WhitePoint, PrimaryChromaticities, TransferFunction (default: 2.2).
"""

import struct

from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    colour_tags_unusable,
    colours_without_profile,
    profile_broken,
)
from vitrine.ingest.inspect.formats.exif_colour import colours_of_page, profile_by_exif
from vitrine.ingest.inspect.formats.made_profile import (
    D65,
    SRGB_PRIMARIES,
    Chromaticity,
    ColourEncoding,
    gamma_curve,
    is_srgb,
    make_profile,
    sampled_curve,
)
from vitrine.ingest.inspect.formats.picture_format import Colour, Samples
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import Tag, Type

_TAGS = (Tag.WHITE_POINT, Tag.PRIMARY_CHROMATICITIES, Tag.TRANSFER_FUNCTION)
_WHITE_IS_ZERO = 0
_GAMMA = 2.2
_MAX_CURVE_LENGTH = 4_096
_FRACTION_TYPES = {Type.RATIONAL: "I", Type.SRATIONAL: "i"}

Stated = tuple[bytes | None, tuple[MasterNote, ...]]
"""A profile, if other colours than sRGB are stated, and notes."""


def read_colours(
    reader: TiffReader, page: Directory, colour: Colour, samples: Samples, bits: int
) -> tuple[bytes | None, bytes | None, tuple[MasterNote, ...]]:
    """Return the embedded profile, one made of what else the page states, and notes."""
    if Tag.ICC_PROFILE in page:
        return _read_profile(page)
    return None, *_read_stated_colours(reader, page, colour, samples, bits)


def _read_profile(page: Directory) -> tuple[bytes | None, None, tuple[MasterNote, ...]]:
    try:
        profile = page.raw(Tag.ICC_PROFILE)
    except MalformedTiff as error:
        return None, None, (profile_broken(str(error)),)
    return profile or None, None, () if profile else (profile_broken("it is empty"),)


def _read_stated_colours(
    reader: TiffReader, page: Directory, colour: Colour, samples: Samples, bits: int
) -> Stated:
    if Tag.ICC_PROFILE in page.unknown_types:
        number = page.unknown_types[Tag.ICC_PROFILE]
        return None, (profile_broken(f"its field has the unknown type {number}"),)
    if colour not in ("gray", "rgb"):
        return None, ()
    if not any(tag in page for tag in _TAGS):
        return profile_by_exif(colours_of_page(reader, page), colour)
    names = ", ".join(tag.name for tag in _TAGS if tag in page)
    try:
        encoding = _read_encoding(page, samples, bits)
    except (ValueError, ZeroDivisionError) as error:
        return None, (colour_tags_unusable(f"{names}: {error}"),)
    if encoding is None:
        return None, ()
    profile = make_profile(encoding, colour)
    if profile is None:
        return None, (colour_tags_unusable(names),)
    return profile, (colours_without_profile(f"TIFF {names}"),)


def _read_encoding(page: Directory, samples: Samples, bits: int) -> ColourEncoding | None:
    """Return the encoding, None for sRGB. Raises ValueError, ZeroDivisionError."""
    white, primaries = D65, SRGB_PRIMARIES
    if Tag.WHITE_POINT in page:
        [white] = _read_points(page, Tag.WHITE_POINT, 1)
    if Tag.PRIMARY_CHROMATICITIES in page:
        red, green, blue = _read_points(page, Tag.PRIMARY_CHROMATICITIES, 3)
        primaries = red, green, blue
    if Tag.TRANSFER_FUNCTION in page and samples != "float":
        return ColourEncoding(_read_curves(page, bits), primaries, white)
    if is_srgb(primaries, white):
        return None
    return ColourEncoding((gamma_curve(1.0 if samples == "float" else _GAMMA),), primaries, white)


def _read_points(page: Directory, tag: Tag, count: int) -> list[Chromaticity]:
    entry = page.entry(tag)
    code = _FRACTION_TYPES.get(Type(entry.type))
    if code is None or entry.count != 2 * count:
        raise ValueError(f"{entry.count} values of type {entry.type}")
    parts = struct.unpack(f"<{entry.count * 2}{code}", entry.data)
    values = [over / under for over, under in zip(parts[::2], parts[1::2], strict=True)]
    return list(zip(values[::2], values[1::2], strict=True))


def _read_curves(page: Directory, bits: int) -> tuple[bytes, ...]:
    values, steps = page.integers(Tag.TRANSFER_FUNCTION), 1 << bits
    if Tag.TRANSFER_RANGE in page or page.integer(Tag.PHOTOMETRIC, 1) == _WHITE_IS_ZERO:
        raise ValueError("a transfer range, or a negative")
    if bits < 8 or len(values) not in (steps, 3 * steps):
        raise ValueError(f"{len(values):,} values for {bits}-bit samples")
    tables = [values[at : at + steps] for at in range(0, len(values), steps)]
    for table in tables:
        if list(table) != sorted(table) or table[0] == table[-1] or table[-1] > 0xFFFF:
            raise ValueError("a transfer function that does not rise")
    return tuple(sampled_curve(_thin_table(table)) for table in tables)


def _thin_table(table: tuple[int, ...]) -> tuple[int, ...]:
    """Return at most as many values as a profile needs, the first and the last among them."""
    if len(table) <= _MAX_CURVE_LENGTH:
        return table
    last = len(table) - 1
    return tuple(table[at * last // (_MAX_CURVE_LENGTH - 1)] for at in range(_MAX_CURVE_LENGTH))
