"""The colour profile in a master: whether it is valid, and for the image's colour model.

libvips silently converts with a mismatched or broken profile, so we check it ourselves.
"""

import struct
import tempfile
from typing import Any, Literal

import pyvips

from vitrine.ingest.inspect.curator_notes import MasterNote, profile_broken, profile_mismatched
from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS, Colour

ProfileState = Literal["none", "usable", "mismatched", "broken"]

_COLOUR_SPACES: dict[bytes, Colour] = {
    b"GRAY": "gray",
    b"RGB ": "rgb",
    b"CMYK": "cmyk",
    b"Lab ": "lab",
}
_INTERPRETATIONS = {"gray": "b-w", "rgb": "srgb", "cmyk": "cmyk"}
_TABLES = (b"A2B0", b"A2B1", b"A2B2", b"D2B0", b"D2B1", b"D2B2", b"D2B3")
_TABLE_TYPES = (b"mft1", b"mft2", b"mAB ", b"mpet")
_CURVE_TYPES = (b"curv", b"para")
_CURVES: dict[bytes, dict[bytes, tuple[bytes, ...]]] = {
    b"GRAY": {b"kTRC": _CURVE_TYPES},
    b"RGB ": {name + b"XYZ": (b"XYZ ",) for name in (b"r", b"g", b"b")}
    | {name + b"TRC": _CURVE_TYPES for name in (b"r", b"g", b"b")},
}
"""Tags that a profile without tables must have, by its colour space."""
_HEADER_BYTES = 128
_ENTRY_BYTES = 12
_MAX_TAGS = 1_000


def profile_state(
    profile: bytes | None, colour: Colour
) -> tuple[ProfileState, tuple[MasterNote, ...]]:
    """Return if `profile` can convert an image of this colour model, and notes for the curator.

    Source: ICC.1:2022, 7.2 (colour space in bytes 16 to 19, file signature in 36 to 39) and 7.3.
    """
    if not profile:
        return "none", ()
    error = _find_error(profile)
    if error:
        return "broken", (profile_broken(error),)
    space = profile[16:20]
    if _COLOUR_SPACES.get(space) != colour:
        name = space.decode("ascii", "backslashreplace").strip()
        return "mismatched", (profile_mismatched(f"{name} profile, {colour} image"),)
    if colour in _INTERPRETATIONS and not _can_convert(profile, colour):
        return "broken", (profile_broken("its tables cannot be used"),)
    return "usable", ()


def _find_error(profile: bytes) -> str:
    """Return what is wrong with the structure, or an empty string."""
    if len(profile) < _HEADER_BYTES + 4 or profile[36:40] != b"acsp":
        return f"{len(profile):,} bytes that are not a profile"
    declared, count = (
        struct.unpack_from(">I", profile)[0],
        struct.unpack_from(">I", profile, 128)[0],
    )
    if declared > len(profile):
        return f"{declared:,} bytes are announced, {len(profile):,} are there"
    if not 0 < count <= _MAX_TAGS or _HEADER_BYTES + 4 + count * _ENTRY_BYTES > len(profile):
        return f"{count:,} tags are announced"
    types: dict[bytes, bytes] = {}
    for number in range(count):
        at = _HEADER_BYTES + 4 + number * _ENTRY_BYTES
        name, offset, size = struct.unpack_from(">4sII", profile, at)
        if offset + size > len(profile):
            return f"the tag {name.decode('ascii', 'backslashreplace')} lies beyond its end"
        types[name] = profile[offset : offset + 4]
    return _find_missing_tag(types, profile[16:20])


def _find_missing_tag(types: dict[bytes, bytes], space: bytes) -> str:
    """Describe a missing tag that a conversion needs, or return an empty string.

    Source: ICC.1:2022, 8.3.
    """
    if any(types.get(name) in _TABLE_TYPES for name in _TABLES):
        return ""
    for name, allowed in _CURVES.get(space, {b"A2B0": _TABLE_TYPES}).items():
        if types.get(name) not in allowed:
            return f"the tag {name.decode()} is missing or of a wrong type"
    return ""


def _can_convert(profile: bytes, colour: Colour) -> bool:
    """Return True if the colour engine can convert one pixel with the profile."""
    pixel: Any = pyvips.Image.black(1, 1, bands=COLOUR_BANDS[colour])
    pixel = pixel.copy(interpretation=_INTERPRETATIONS[colour])
    with tempfile.NamedTemporaryFile(suffix=".icc") as file:
        file.write(profile)
        file.flush()
        try:
            pixel.icc_import(input_profile=file.name, intent="relative").avg()
        except pyvips.Error:
            return False
    return True
