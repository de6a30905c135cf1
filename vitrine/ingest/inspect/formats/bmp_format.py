"""An uncompressed BMP, and a file in which libvips sees its rows.

Transparency is left out, since most programs leave it undefined.
Source: Windows GDI, "Bitmap Header Types" (BITMAPINFOHEADER, BITMAPV4HEADER, BITMAPV5HEADER).
"""

import struct
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, colours_unknown, extra_samples_dropped
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.formats.row_view import NONE, RowView, view_head
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.store.ranged import read_exactly

_FILE_HEADER_BYTES, _MIN_HEADER_LENGTH = 14, 40
_MAX_HEADER_LENGTH = 124
_HEADERS = frozenset({40, 52, 56, 64, 108, 124})
_RGB, _BIT_FIELDS, _ALPHA_BIT_FIELDS = 0, 3, 6
_COMPRESSIONS = {1: "RLE8", 2: "RLE4", 4: "JPEG", 5: "PNG"}
_MAX_ROWS = 300_000
_MASKS = (0xFF0000, 0xFF00, 0xFF)
_PALETTE, _TIFF_RGB = 3, 2
_CALIBRATED, _LINKED, _EMBEDDED = b"\0\0\0\0", b"KNIL", b"DEBM"
"""Colour spaces, in the order of their bytes in the file."""
_SPACE_AT, _PROFILE_AT = 56, 112
_MAX_PROFILE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class BmpPicture:
    """The picture; `view` holds blue, green, red, and perhaps a fourth sample."""

    picture_format: PictureFormat
    view: Prefixed


def read_bmp(file: MasterBytes, most_pixels: int) -> BmpPicture:
    """Read a BMP of 1, 4, 8, 24 or 32 bits. Raises MasterRejected."""
    head = read_exactly(file, 0, _FILE_HEADER_BYTES + _MAX_HEADER_LENGTH)
    if len(head) < _FILE_HEADER_BYTES + _MIN_HEADER_LENGTH:
        raise rejections.damaged_file(f"the file ends after {file.size:,} bytes")
    start, header_bytes, width, signed, _, bits, compression = struct.unpack_from(
        "<IIiiHHI", head, 10
    )
    if header_bytes not in _HEADERS:
        raise rejections.unreadable_file(f"a BMP header of {header_bytes:,} bytes")
    height = abs(signed)
    if width <= 0 or not 0 < height <= _MAX_ROWS:
        raise rejections.unreadable_file(f"its header says {width} x {signed} pixels")
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    _check_samples(head, bits, compression)
    row, stride = (width * bits + 7) // 8, (width * bits + 31) // 32 * 4
    end = start + stride * (height - 1) + row
    if end > file.size:
        raise rejections.cut_off_file(file.size, end)
    tops = range(start, start + stride * height, stride)
    samples = bits // 8 if bits > 8 else 1
    view = RowView(
        width=width,
        height=height,
        bits=min(bits, 8),
        samples=samples,
        photometric=_TIFF_RGB if bits > 8 else _PALETTE,
        compression=NONE,
        offsets=tops if signed < 0 else tops[::-1],
        lengths=[row] * height,
        colour_map=() if bits > 8 else _read_palette(file, head, bits, start),
    )
    icc, notes = _read_colours(file, head, header_bytes)
    picture_format = PictureFormat(
        width=width,
        height=height,
        colour="rgb",
        bits=8,
        compression="none",
        extra_bands=max(samples - 3, 0),
        icc=icc,
        notes=notes + _note_transparency(head, header_bytes, bits),
    )
    return BmpPicture(picture_format, Prefixed(view_head(view), file))


def _check_samples(head: bytes, bits: int, compression: int) -> None:
    if compression in _COMPRESSIONS:
        raise rejections.unsupported_compression(f"{_COMPRESSIONS[compression]} in a BMP")
    masks = struct.unpack_from("<III", head.ljust(66, b"\0"), 54)
    fields = compression in (_BIT_FIELDS, _ALPHA_BIT_FIELDS)
    usual = compression == _RGB or (fields and bits == 32 and masks == _MASKS)
    if bits not in (1, 4, 8, 24, 32) or not usual:
        raise rejections.unsupported_depth(f"{bits} bits per pixel in a BMP")


def _read_palette(file: MasterBytes, head: bytes, bits: int, pixels: int) -> list[int]:
    """Return all blues, greens and reds, 0 to 65535; black beyond the palette's end."""
    [header_bytes] = struct.unpack_from("<I", head, 14)
    [stated] = struct.unpack_from("<I", head, 46)
    start, colours = _FILE_HEADER_BYTES + header_bytes, 1 << bits
    count = min(stated or colours, colours, max(pixels - start, 0) // 4)
    entries = read_exactly(file, start, count * 4).ljust(colours * 4, b"\0")
    return [value * 257 for channel in (0, 1, 2) for value in entries[channel::4]]


def _read_colours(
    file: MasterBytes, head: bytes, header_bytes: int
) -> tuple[bytes | None, tuple[MasterNote, ...]]:
    """Return the embedded profile, and a note on colours that are described in another way."""
    space = head[_FILE_HEADER_BYTES + _SPACE_AT :][:4] if header_bytes > _SPACE_AT else b""
    if space == _EMBEDDED and header_bytes == _MAX_HEADER_LENGTH:
        at, length = struct.unpack_from("<II", head, _FILE_HEADER_BYTES + _PROFILE_AT)
        return read_exactly(file, _FILE_HEADER_BYTES + at, min(length, _MAX_PROFILE_BYTES)), ()
    if space == _LINKED:
        return None, (colours_unknown("a linked colour profile"),)
    endpoints = head[_FILE_HEADER_BYTES + 60 : _FILE_HEADER_BYTES + 96]
    if space == _CALIBRATED and any(endpoints):
        return None, (colours_unknown("BMP endpoints and gamma"),)
    return None, ()


def _note_transparency(head: bytes, header_bytes: int, bits: int) -> tuple[MasterNote, ...]:
    """Return a note if the header says that the fourth sample is transparency.

    Its mask lies right before the colour space, which the header of 56 bytes lacks.
    """
    stated = header_bytes >= _SPACE_AT and bits == 32 and any(head[66:70])
    return (extra_samples_dropped("the transparency of a BMP"),) if stated else ()
