"""What EXIF says about the colours of a picture without a profile.

Sources: Exif 2.32, 4.6.6 (ColorSpace) and 4.6.4 (interoperability); DCF 2.0, 5.2.3: cameras mark
Adobe RGB by ColorSpace "uncalibrated" and the interoperability index R03.
"""

from typing import Literal

from vitrine.ingest.inspect.curator_notes import (
    MasterNote,
    colours_unknown,
    colours_without_profile,
)
from vitrine.ingest.inspect.formats.made_profile import (
    ADOBE_GAMMA,
    ADOBE_PRIMARIES,
    ColourEncoding,
    gamma_curve,
    make_profile,
)
from vitrine.ingest.inspect.formats.picture_format import Colour
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Bounds, Directory, TiffReader
from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, Tag

ExifColours = Literal["unstated", "srgb", "adobe-rgb", "uncalibrated"]

_SIGNATURE = b"Exif\0\0"
_SRGB, _ADOBE_RGB, _UNCALIBRATED = 1, 2, 0xFFFF
_INTEROPERABILITY_INDEX, _R03 = 1, b"R03"
_BOUNDS = Bounds(pages=1, value_bytes=64 << 10, total_bytes=256 << 10)


def profile_by_exif(
    colours: ExifColours, colour: Colour
) -> tuple[bytes | None, tuple[MasterNote, ...]]:
    """Return the profile that EXIF names, if any, and notes for the curator."""
    if colour not in ("gray", "rgb") or colours in ("unstated", "srgb"):
        return None, ()
    if colours == "uncalibrated":
        return None, (colours_unknown("EXIF ColorSpace: uncalibrated"),)
    encoding = ColourEncoding((gamma_curve(ADOBE_GAMMA),), ADOBE_PRIMARIES)
    return make_profile(encoding, colour), (colours_without_profile("EXIF: Adobe RGB"),)


def colours_of_block(block: bytes) -> ExifColours:
    """Read a block of EXIF, with or without its signature; "unstated" if it is damaged."""
    data = block.removeprefix(_SIGNATURE)
    try:
        reader = TiffReader(lambda at, length: data[at : at + length], len(data), _BOUNDS)
        return colours_of_page(reader, reader.first_page())
    except MalformedTiff:
        return "unstated"


def colours_of_page(reader: TiffReader, page: Directory) -> ExifColours:
    """Read the EXIF of a TIFF's page; "unstated" if it is damaged."""
    if Tag.EXIF_IFD not in page:
        return "unstated"
    try:
        exif = reader.directory(page.integer(Tag.EXIF_IFD))
        space = exif.integer(EXIF_COLOUR_SPACE, 0)
        index = _interoperability_index(reader, exif) if space == _UNCALIBRATED else b""
    except MalformedTiff:
        return "unstated"
    if space == _ADOBE_RGB or index.startswith(_R03):
        return "adobe-rgb"
    return {_SRGB: "srgb", _UNCALIBRATED: "uncalibrated"}.get(space, "unstated")  # type: ignore[return-value]


def _interoperability_index(reader: TiffReader, exif: Directory) -> bytes:
    if Tag.INTEROPERABILITY_IFD not in exif:
        return b""
    try:
        directory = reader.directory(exif.integer(Tag.INTEROPERABILITY_IFD))
        return directory.raw(_INTEROPERABILITY_INDEX)
    except MalformedTiff:
        return b""
