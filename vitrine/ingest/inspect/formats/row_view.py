"""Rows of samples in another format's file, described as a TIFF so that libvips reads them there.

The pixels stay where they are: the directory is put in front of the file. Source: the BigTIFF
proposal (libtiff); TIFF 6.0, sections 3, 5 and 9.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.store.tiff.tags import Tag, Type

NONE, PACK_BITS = 1, 32773
_HEADER_BYTES, _VALUE_BYTES = 16, 8
_RGB_SAMPLES = 3
_CODES = {Type.SHORT: "H", Type.LONG8: "Q"}


@dataclass(frozen=True, kw_only=True)
class RowView:
    """A picture in strips of `rows` rows, interleaved samples, numbers in big-endian order."""

    width: int
    height: int
    bits: int
    photometric: int
    compression: int
    offsets: Sequence[int]
    """Offsets of the strips in the file, bytes, the top one first."""
    lengths: Sequence[int]
    """Lengths of the strips, bytes."""
    rows: int = 1
    samples: int = 1
    colour_map: Sequence[int] = ()
    """Colours of a palette: all reds, all greens, all blues, 0 to 65535."""


def view_head(view: RowView) -> bytes:
    """Return what to put in front of the file, so that it is a TIFF of this picture."""
    fields: dict[int, tuple[Type, Sequence[int]]] = {
        Tag.IMAGE_WIDTH: (Type.LONG8, (view.width,)),
        Tag.IMAGE_LENGTH: (Type.LONG8, (view.height,)),
        Tag.BITS_PER_SAMPLE: (Type.SHORT, (view.bits,) * view.samples),
        Tag.COMPRESSION: (Type.SHORT, (view.compression,)),
        Tag.PHOTOMETRIC: (Type.SHORT, (view.photometric,)),
        Tag.STRIP_OFFSETS: (Type.LONG8, view.offsets),
        Tag.SAMPLES_PER_PIXEL: (Type.SHORT, (view.samples,)),
        Tag.ROWS_PER_STRIP: (Type.LONG8, (view.rows,)),
        Tag.STRIP_BYTE_COUNTS: (Type.LONG8, view.lengths),
        Tag.PLANAR_CONFIGURATION: (Type.SHORT, (1,)),
    }
    if view.samples > _RGB_SAMPLES:
        fields[Tag.EXTRA_SAMPLES] = (Type.SHORT, (0,) * (view.samples - _RGB_SAMPLES))
    if view.colour_map:
        fields[Tag.COLOR_MAP] = (Type.SHORT, view.colour_map)
    # Offsets move by the length of what is put in front, which does not depend on them.
    length = len(_pack_directory(fields))
    moved = [offset + length for offset in view.offsets]
    return _pack_directory({**fields, Tag.STRIP_OFFSETS: (Type.LONG8, moved)})


def _pack_directory(fields: dict[int, tuple[Type, Sequence[int]]]) -> bytes:
    end = _HEADER_BYTES + 8 + 20 * len(fields) + 8
    entries, values = struct.pack(">Q", len(fields)), b""
    for tag, (kind, numbers) in sorted(fields.items()):
        data = struct.pack(f">{len(numbers)}{_CODES[kind]}", *numbers)
        if len(data) > _VALUE_BYTES:
            value = struct.pack(">Q", end + len(values))
            values += data + bytes(-len(data) % 8)
        else:
            value = data.ljust(_VALUE_BYTES, b"\0")
        entries += struct.pack(">HHQ", tag, kind, len(numbers)) + value
    return b"MM" + struct.pack(">HHHQ", 43, 8, 0, _HEADER_BYTES) + entries + bytes(8) + values
