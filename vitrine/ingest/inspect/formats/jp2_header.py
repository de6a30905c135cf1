"""Colours in the JP2 header box: colour spaces, a palette, and the meaning of channels.

Source: ISO/IEC 15444-1, I.5.3; ISO/IEC 15444-2, M.11.7 (further colour spaces and profiles).
"""

import struct
from dataclasses import dataclass, field
from typing import Literal

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.jp2_boxes import inner_boxes
from vitrine.ingest.inspect.formats.picture_format import Colour

Encoding = Literal["plain", "sycc"]

_ENUMERATED, _RESTRICTED, _ANY_PROFILE = 1, 2, 3
_SPACES: dict[int, tuple[Colour, Encoding]] = {
    12: ("cmyk", "plain"),
    16: ("rgb", "plain"),
    17: ("gray", "plain"),
    18: ("rgb", "sycc"),
}
_OTHER_SPACES = {
    0: "bilevel",
    1: "YCbCr (1)",
    3: "YCbCr (2)",
    4: "YCbCr (3)",
    9: "PhotoYCC",
    11: "CMY",
    13: "YCCK",
    14: "CIELab",
    15: "bilevel (2)",
    19: "CIEJab",
    20: "e-sRGB",
    21: "ROMM-RGB",
    24: "e-sYCC",
}
_PROFILE_SPACES: dict[bytes, Colour] = {b"GRAY": "gray", b"RGB ": "rgb", b"CMYK": "cmyk"}
_COLOUR, _OPACITY, _PREMULTIPLIED = 0, 1, 2
_UNSPECIFIED = 65_535
_MEANINGS = frozenset({_COLOUR, _OPACITY, _PREMULTIPLIED, _UNSPECIFIED})
_WHOLE_IMAGE, _NO_COLOUR = 0, 65_535
_FROM_PALETTE = 1
_EIGHT_BITS = 7
_MAX_ENTRIES, _MAX_INDEX_ENTRIES = 1_024, 256


@dataclass(frozen=True, kw_only=True)
class Jp2Header:
    """The JP2 header box; the default is that of a raw codestream, which has no such box."""

    size: tuple[int, int, int] | None = None
    """Width, height and components."""
    colour: Colour | None = None
    encoding: Encoding = "plain"
    icc: bytes | None = field(default=None, repr=False)
    palette: tuple[bytes, ...] = field(default=(), repr=False)
    """Rows of one byte per column: the channels of each value of the first component."""
    meanings: tuple[tuple[int, int, int], ...] = ()
    """Channel, type and association, where channels are defined."""
    resolution: tuple[float, float] | None = None
    """Pixels per metre, across and down: of the capture, else for display."""


def read_jp2_header(data: bytes) -> Jp2Header:
    """Parse the contents of the box "jp2h". Raises MasterRejected."""
    boxes: dict[bytes, list[bytes]] = {}
    for name, content in inner_boxes(data):
        boxes.setdefault(name, []).append(content)
    first = {name: contents[0] for name, contents in boxes.items()}
    try:
        height, width, components = struct.unpack_from(">IIH", first.get(b"ihdr", b""))
        colour, encoding, icc = _parse_colours(boxes.get(b"colr", []))
        return Jp2Header(
            size=(width, height, components),
            colour=colour,
            encoding=encoding,
            icc=icc,
            palette=_parse_palette(first),
            meanings=_parse_meanings(first.get(b"cdef")),
            resolution=_parse_resolution(first.get(b"resc") or first.get(b"resd")),
        )
    except (struct.error, IndexError) as error:
        raise rejections.damaged_file("a box of the JP2 header is cut off") from error


def _parse_colours(specifications: list[bytes]) -> tuple[Colour | None, Encoding, bytes | None]:
    """Parse the first specification that we support.

    Raises MasterRejected if there are only others.
    """
    other = ""
    for data in specifications:
        method = data[0]
        if method == _ENUMERATED:
            [space] = struct.unpack_from(">I", data, 3)
            if space in _SPACES:
                return *_SPACES[space], None
            other = _OTHER_SPACES.get(space, f"enumerated colour space {space}")
        elif method in (_RESTRICTED, _ANY_PROFILE):
            profile = data[3:]
            if profile[16:20] in _PROFILE_SPACES:
                return _PROFILE_SPACES[profile[16:20]], "plain", profile
            other = f"{profile[16:20].decode('ascii', 'backslashreplace')} profile"
        else:
            other = f"colour specification method {method}"
    if other:
        raise rejections.unsupported_colour(f"a JPEG 2000 with {other}")
    return None, "plain", None


def _parse_palette(boxes: dict[bytes, bytes]) -> tuple[bytes, ...]:
    """Return the rows of the palette, columns in the channels' order. Raises MasterRejected."""
    if b"pclr" not in boxes:
        return ()
    data, mapping = boxes[b"pclr"], boxes.get(b"cmap", b"")
    entries, columns = struct.unpack_from(">HB", data)
    if not 1 <= entries <= _MAX_ENTRIES or not columns:
        raise rejections.damaged_file(f"a palette of {entries} colours")
    depths = data[3 : 3 + columns]
    if any(depth != _EIGHT_BITS for depth in depths) or entries > _MAX_INDEX_ENTRIES:
        raise rejections.unsupported_depth("a JPEG 2000 palette of other than 8-bit colours")
    channels = [struct.unpack_from(">HBB", mapping, at) for at in range(0, len(mapping), 4)]
    if not channels or any(
        component or mapping_type != _FROM_PALETTE or column >= columns
        for component, mapping_type, column in channels
    ):
        raise rejections.unsupported_colour("a JPEG 2000 with a palette for some channels only")
    values = data[3 + columns :]
    if len(values) < entries * columns:
        raise rejections.damaged_file("the palette is cut off")
    return tuple(
        bytes(values[entry * columns + column] for _, _, column in channels)
        for entry in range(entries)
    )


def _parse_meanings(data: bytes | None) -> tuple[tuple[int, int, int], ...]:
    if data is None:
        return ()
    [count] = struct.unpack_from(">H", data)
    return tuple(struct.unpack_from(">HHH", data, 2 + 6 * number) for number in range(count))


def _parse_resolution(data: bytes | None) -> tuple[float, float] | None:
    """Return pixels per metre, across and down, if stated and plausible (I.5.3.7)."""
    if data is None:
        return None
    down, down_parts, across, across_parts, down_exponent, across_exponent = struct.unpack_from(
        ">HHHHbb", data
    )
    if not (down and down_parts and across and across_parts):
        return None
    resolution = (
        across / across_parts * 10.0**across_exponent,
        down / down_parts * 10.0**down_exponent,
    )
    return resolution if all(1 <= value <= 10_000_000 for value in resolution) else None


def channels_of(
    header: Jp2Header, channels: int, colour_bands: int
) -> tuple[list[int], int | None, bool]:
    """Return the channels that are colours, in order, the one that is transparency, if any, and
    True if colours are multiplied by it.

    Raises MasterRejected.
    """
    if not header.meanings:
        if channels < colour_bands:
            raise rejections.unreadable_file(f"{channels} channels for {colour_bands} colours")
        return list(range(colour_bands)), None, False
    colours: dict[int, int] = {}
    alpha, premultiplied = None, False
    for channel, channel_type, association in header.meanings:
        if channel >= channels or channel_type not in _MEANINGS:
            raise rejections.damaged_file(
                f"channel {channel} of {channels} is of type {channel_type}"
            )
        if channel_type == _COLOUR and colours.setdefault(association - 1, channel) != channel:
            raise rejections.damaged_file(f"two channels are both colour {association}")
        if channel_type not in (_OPACITY, _PREMULTIPLIED) or association == _NO_COLOUR:
            continue
        if association != _WHOLE_IMAGE or alpha is not None:
            raise rejections.unsupported_colour("a JPEG 2000 with transparency of single colours")
        alpha, premultiplied = channel, channel_type == _PREMULTIPLIED
    if sorted(colours)[:colour_bands] != list(range(colour_bands)):
        raise rejections.unreadable_file(f"{len(colours)} of {colour_bands} colours are defined")
    return [colours[number] for number in range(colour_bands)], alpha, premultiplied
