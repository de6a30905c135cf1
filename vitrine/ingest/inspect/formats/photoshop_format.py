"""A Photoshop file's flattened picture, and files in which libvips sees its planes.

Photoshop keeps the picture that its layers show at the end of the file, unless its settings forbid
it. Its transparency is left out: the colours are those on white already.
Source: Adobe Photoshop File Formats Specification (2019).
"""

import struct
from dataclasses import dataclass
from itertools import accumulate

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, extra_samples_dropped
from vitrine.ingest.inspect.formats.photoshop_resources import list_resources, resources_are_whole
from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS, Colour, PictureFormat
from vitrine.ingest.inspect.formats.row_view import NONE, PACK_BITS, RowView, view_head
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.store.ranged import read_exactly

_HEADER = struct.Struct(">4sH6xHIIHH")
_LARGE = 2
"""Version of a PSB, whose lengths are longer."""
_WHITE_IS_ZERO, _BLACK_IS_ZERO, _PALETTE = 0, 1, 3
_BITMAP, _INDEXED = 0, 2
_MODES: dict[int, tuple[Colour, int, frozenset[int]]] = {
    _BITMAP: ("gray", _WHITE_IS_ZERO, frozenset({1})),
    1: ("gray", _BLACK_IS_ZERO, frozenset({8, 16})),
    _INDEXED: ("rgb", _PALETTE, frozenset({8})),
    3: ("rgb", _BLACK_IS_ZERO, frozenset({8, 16})),
    4: ("cmyk", _WHITE_IS_ZERO, frozenset({8, 16})),
}
"""Mode -> colours, how a plane is read (inks are stored inverted), bits per sample."""
_OTHER_MODES = {
    7: "multichannel in a Photoshop file",
    8: "duotone in a Photoshop file",
    9: "Lab in a Photoshop file",
}
_RAW, _RUN_LENGTHS = 0, 1
_PALETTE_BYTES = 768
_PROFILE, _VERSION = 0x040F, 0x0421
_MAX_RESOURCE_BYTES = 64 * 1024 * 1024
_MAX_SIDE, _MAX_CHANNELS = 300_000, 56


@dataclass(frozen=True)
class PhotoshopPicture:
    """The flattened picture; `views` is a file for each plane."""

    picture_format: PictureFormat
    views: list[Prefixed]


@dataclass(frozen=True)
class _PhotoshopHeader:
    large: bool
    channels: int
    height: int
    width: int
    bits: int
    mode: int


def read_photoshop(file: MasterBytes, most_pixels: int) -> PhotoshopPicture:
    """Read the flattened picture of a PSD or PSB. Raises MasterRejected."""
    header = _read_header(file, most_pixels)
    colour, photometric, _ = _MODES[header.mode]
    planes = 1 if header.mode == _INDEXED else COLOUR_BANDS[colour]
    if header.channels < planes:
        raise rejections.unsupported_colour(f"{header.channels} channels instead of {planes}")
    palette, resources, transparent, position = _read_sections(file, header)
    if resources.get(_VERSION, b"\0\0\0\0\1")[4:5] == b"\0":
        raise rejections.unflattened_picture()
    strips = _list_strips(file, header, planes, position)
    views = [
        RowView(
            width=header.width,
            height=header.height,
            bits=header.bits,
            photometric=photometric,
            compression=strips.compression,
            rows=strips.rows,
            offsets=strips.offsets[at : at + strips.per_plane],
            lengths=strips.lengths[at : at + strips.per_plane],
            colour_map=[value * 257 for value in palette] if photometric == _PALETTE else (),
        )
        for at in range(0, planes * strips.per_plane, strips.per_plane)
    ]
    picture_format = PictureFormat(
        width=header.width,
        height=header.height,
        colour=colour,
        bits=max(header.bits, 8),
        compression="PackBits" if strips.compression == PACK_BITS else "none",
        icc=resources.get(_PROFILE),
        notes=_note_channels(header.channels - planes - transparent, header.channels),
    )
    return PhotoshopPicture(picture_format, [Prefixed(view_head(view), file) for view in views])


def read_photoshop_resources(file: MasterBytes) -> bytes:
    """Return the block of image resources, with IPTC, EXIF and XMP. Raises MasterRejected."""
    position = _HEADER.size
    position += 4 + _read_length(file, position, 4)
    length = _read_length(file, position, 4)
    return read_exactly(file, position + 4, min(length, _MAX_RESOURCE_BYTES))


def _read_header(file: MasterBytes, most_pixels: int) -> _PhotoshopHeader:
    data = read_exactly(file, 0, _HEADER.size)
    if len(data) < _HEADER.size:
        raise rejections.damaged_file(f"the file ends after {file.size:,} bytes")
    _, version, channels, height, width, bits, mode = _HEADER.unpack(data)
    if version not in (1, _LARGE) or not width or not height or max(width, height) > _MAX_SIDE:
        raise rejections.unreadable_file(f"version {version}, {width} x {height} pixels")
    if channels > _MAX_CHANNELS:
        raise rejections.unreadable_file(f"{channels:,} channels")
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    if mode not in _MODES:
        raise rejections.unsupported_colour(_OTHER_MODES.get(mode, f"Photoshop mode {mode}"))
    colour, _, depths = _MODES[mode]
    if bits not in depths:
        raise rejections.unsupported_depth(f"{bits}-bit samples in {colour} colours")
    return _PhotoshopHeader(version == _LARGE, channels, height, width, bits, mode)


def _read_sections(
    file: MasterBytes, header: _PhotoshopHeader
) -> tuple[bytes, dict[int, bytes], bool, int]:
    """Return palette, resources, if the first extra channel is transparency, and the pixels' place.

    Raises MasterRejected.
    """
    position = _HEADER.size
    length = _read_length(file, position, 4)
    palette = read_exactly(file, position + 4, length) if length == _PALETTE_BYTES else b""
    if header.mode == _INDEXED and not palette:
        raise rejections.unreadable_file(f"a palette of {length:,} bytes")
    position += 4 + length
    length = _read_length(file, position, 4)
    if length > _MAX_RESOURCE_BYTES:
        raise rejections.unreadable_file(f"image resources of {length:,} bytes")
    block = read_exactly(file, position + 4, length)
    if not resources_are_whole(block):
        raise rejections.damaged_file("its image resources are cut off")
    resources = dict(list_resources(block))
    position += 4 + length
    wide = 8 if header.large else 4
    length = _read_length(file, position, wide)
    transparent = length > 0 and _has_transparency(file, position + wide, wide)
    return palette, resources, transparent, position + wide + length


def _has_transparency(file: MasterBytes, position: int, wide: int) -> bool:
    """Return True if the number of layers is negative."""
    data = read_exactly(file, position, wide + 2)
    return len(data) == wide + 2 and any(data[:wide]) and bool(data[wide] & 0x80)


def _read_length(file: MasterBytes, position: int, wide: int) -> int:
    data = read_exactly(file, position, wide)
    length = int.from_bytes(data)
    if len(data) < wide or position + wide + length > file.size:
        raise rejections.damaged_file(
            f"{length:,} bytes are announced at byte {position:,}, the file has {file.size:,}"
        )
    return length


@dataclass(frozen=True)
class _Strips:
    compression: int
    rows: int
    per_plane: int
    offsets: list[int]
    lengths: list[int]


def _list_strips(
    file: MasterBytes, header: _PhotoshopHeader, planes: int, position: int
) -> _Strips:
    """Return the strips of the first planes, one after the other. Raises MasterRejected."""
    method = int.from_bytes(read_exactly(file, position, 2))
    if method not in (_RAW, _RUN_LENGTHS):
        raise rejections.unsupported_compression("deflate in a Photoshop file")
    start = position + 2
    if method == _RAW:
        plane = header.height * ((header.width * header.bits + 7) // 8)
        strips = _Strips(NONE, header.height, 1, [], [plane] * planes)
        end = start + plane * header.channels
    else:
        wide = 4 if header.large else 2
        counts: list[int] = []
        length = 0
        for channel in range(header.channels):
            at = start + channel * header.height * wide
            of_channel = _read_counts(file, at, header.height, wide)
            length += sum(of_channel)
            if channel < planes:
                counts += of_channel
        start += wide * header.height * header.channels
        strips = _Strips(PACK_BITS, 1, header.height, [], counts)
        end = start + length
    strips.offsets.extend(accumulate(strips.lengths[:-1], initial=start))
    if end > file.size:
        raise rejections.cut_off_file(file.size, end)
    return strips


def _read_counts(file: MasterBytes, position: int, rows: int, wide: int) -> tuple[int, ...]:
    """Return the bytes of each row of a channel. Raises MasterRejected."""
    data = read_exactly(file, position, rows * wide)
    if len(data) < rows * wide:
        raise rejections.damaged_file(f"the file ends after {file.size:,} bytes")
    return struct.unpack(f">{rows}{'I' if wide == 4 else 'H'}", data)


def _note_channels(dropped: int, channels: int) -> tuple[MasterNote, ...]:
    if dropped <= 0:
        return ()
    return (extra_samples_dropped(f"{dropped} of {channels} channels"),)
