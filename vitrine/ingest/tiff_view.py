"""A TIFF as we want libvips to see it: one page, a sorted minimal directory, plausible tags.

libtiff warns of trifles in directories (a text without its final zero) and of padded pixels
with one voice. Under a directory of ours only the pixels can go wrong, so every warning counts.
The pixels stay where they are: the directory is put in front of the file.
"""

import struct
from collections.abc import Mapping, Sequence

from vitrine.ingest.kind import Kind
from vitrine.ingest.master_bytes import Prefixed
from vitrine.ingest.tiff_pages import (
    BITS_PER_SAMPLE,
    COLOUR_MAP,
    COMPRESSION,
    EXTRA_SAMPLES,
    ICC_PROFILE,
    IMAGE_LENGTH,
    IMAGE_WIDTH,
    JPEG_TABLES,
    ORIENTATION,
    PHOTOMETRIC,
    PLANAR_CONFIGURATION,
    PREDICTOR,
    ROWS_PER_STRIP,
    SAMPLE_FORMAT,
    SAMPLES_PER_PIXEL,
    STRIP_BYTE_COUNTS,
    STRIP_OFFSETS,
    TILE_BYTE_COUNTS,
    TILE_LENGTH,
    TILE_OFFSETS,
    TILE_WIDTH,
    YCBCR_SUBSAMPLING,
    Page,
)
from vitrine.ingest.tiff_strips import Strips

_FILL_ORDER, _T4_OPTIONS, _T6_OPTIONS, _X_RESOLUTION, _Y_RESOLUTION = 266, 292, 293, 282, 283
_RESOLUTION_UNIT, _YCBCR_COEFFICIENTS, _YCBCR_POSITIONING, _REFERENCE = 296, 529, 531, 532
_KEPT = (
    *(COMPRESSION, _FILL_ORDER, _X_RESOLUTION, _Y_RESOLUTION, _T4_OPTIONS, _T6_OPTIONS),
    *(_RESOLUTION_UNIT, PREDICTOR, COLOUR_MAP, JPEG_TABLES, ICC_PROFILE),
    *(_YCBCR_COEFFICIENTS, YCBCR_SUBSAMPLING, _YCBCR_POSITIONING, _REFERENCE),
)
_BYTE_KINDS = {JPEG_TABLES: 7, ICC_PROFILE: 7}
_SHORT, _LONG8 = 3, 16
_BLACK_IS_ZERO, _RGB = 1, 2
_HEADER_BYTES = 16


def whole_view(kind: Kind, page: Page, strips: Strips) -> Prefixed:
    """The page with all its samples, Lab in the guise of RGB unless libvips knows its kind."""
    photometric = page.number(PHOTOMETRIC, _RGB)
    if kind.colour == "lab" and not (kind.samples == "lab" and kind.bits == 16):
        photometric = _RGB
    values: dict[int, Sequence[int]] = {
        PHOTOMETRIC: (photometric,),
        SAMPLES_PER_PIXEL: (page.number(SAMPLES_PER_PIXEL, 1),),
        PLANAR_CONFIGURATION: (1,),
        ORIENTATION: (kind.orientation,),
    }
    if kind.extra_bands:
        meanings = (*page.numbers(EXTRA_SAMPLES), *(0,) * kind.extra_bands)
        values[EXTRA_SAMPLES] = meanings[: kind.extra_bands]
    return _view(page, strips, values, slice(None))


def plane_views(kind: Kind, page: Page, strips: Strips) -> list[Prefixed]:
    """Samples stored apart, each as a gray picture.

    libvips reads no such tiles, and of such strips Lab and gray with alpha wrongly (8.18.7).
    """
    planes = page.number(SAMPLES_PER_PIXEL, 1)
    length = len(strips.offsets) // planes
    values = {
        PHOTOMETRIC: (_BLACK_IS_ZERO,),
        SAMPLES_PER_PIXEL: (1,),
        PLANAR_CONFIGURATION: (1,),
        ORIENTATION: (kind.orientation,),
    }
    return [
        _view(page, strips, values, slice(plane * length, (plane + 1) * length))
        for plane in range(planes)
    ]


def _view(
    page: Page, strips: Strips, values: Mapping[int, Sequence[int]], parts: slice
) -> Prefixed:
    [samples] = values[SAMPLES_PER_PIXEL]
    [bits, *_] = page.numbers(BITS_PER_SAMPLE) or (1,)
    [form, *_] = page.numbers(SAMPLE_FORMAT) or (1,)
    tags = {tag: _short(page, shorts) for tag, shorts in values.items()}
    tags |= {
        BITS_PER_SAMPLE: _short(page, (bits,) * samples),
        SAMPLE_FORMAT: _short(page, (form if form == 3 else 1,) * samples),
        IMAGE_WIDTH: _long(page, (page.size[0],)),
        IMAGE_LENGTH: _long(page, (page.size[1],)),
    }
    if strips.tiled:
        tags[TILE_WIDTH], tags[TILE_LENGTH] = (
            _long(page, (strips.width,)),
            _long(page, (strips.height,)),
        )
    else:
        tags[ROWS_PER_STRIP] = _long(page, (strips.height,))
    for tag in _KEPT:
        if tag in page.entries:
            kind = _BYTE_KINDS.get(tag, page.entries[tag].kind)
            count = page.entries[tag].size if tag in _BYTE_KINDS else page.entries[tag].count
            tags[tag] = kind, count, page.raw(tag)
    return _assembled(page, strips, tags, parts)


def _assembled(
    page: Page, strips: Strips, tags: dict[int, tuple[int, int, bytes]], parts: slice
) -> Prefixed:
    offsets_tag, counts_tag = (
        (TILE_OFFSETS, TILE_BYTE_COUNTS) if strips.tiled else (STRIP_OFFSETS, STRIP_BYTE_COUNTS)
    )
    offsets, counts = strips.offsets[parts], strips.byte_counts[parts]
    tags[counts_tag] = _long(page, counts)
    tags[offsets_tag] = _long(page, offsets)
    # Offsets move by the length of what is put in front, which does not depend on them.
    length = len(_directory(page, tags))
    tags[offsets_tag] = _long(page, [offset + length for offset in offsets])
    return Prefixed(_directory(page, tags), page.file)


def _directory(page: Page, tags: dict[int, tuple[int, int, bytes]]) -> bytes:
    """A BigTIFF header, one directory and its values; always BigTIFF: offsets grow."""
    mark = b"II" if page.order == "<" else b"MM"
    head = mark + struct.pack(f"{page.order}HHHQ", 43, 8, 0, _HEADER_BYTES)
    end = _HEADER_BYTES + 8 + 20 * len(tags) + 8
    entries, values = struct.pack(f"{page.order}Q", len(tags)), b""
    for tag, (kind, count, data) in sorted(tags.items()):
        inline = data.ljust(8, b"\0")
        if len(data) > 8:
            inline = struct.pack(f"{page.order}Q", end + len(values))
            values += data + bytes(-len(data) % 8)
        entries += struct.pack(f"{page.order}HHQ", tag, kind, count) + inline
    return head + entries + bytes(8) + values


def _short(page: Page, values: Sequence[int]) -> tuple[int, int, bytes]:
    return _SHORT, len(values), struct.pack(f"{page.order}{len(values)}H", *values)


def _long(page: Page, values: Sequence[int]) -> tuple[int, int, bytes]:
    return _LONG8, len(values), struct.pack(f"{page.order}{len(values)}Q", *values)
