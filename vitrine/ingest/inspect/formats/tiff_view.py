"""A TIFF as libvips is to see it: one page, a sorted minimal directory, plausible tags.

libtiff warns of trifles in directories (a text without its final zero), of JPEG strips that are
sound but not as the directory says, and of damage. With a directory of ours, which says what the
strips are, only the pixels can go wrong. They stay where they are: the directory is put in front
of the file.
"""

import struct
from collections.abc import Mapping, Sequence

from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import Tag, Type

_Field = tuple[int, int, bytes]
"""Type, number of items, and the items in the file's byte order."""

_KEPT_SHORTS = (Tag.COMPRESSION, Tag.FILL_ORDER, Tag.PREDICTOR, Tag.COLOR_MAP)
_KEPT_LONGS = (Tag.T4_OPTIONS, Tag.T6_OPTIONS)
_FILL_ORDERS = frozenset({1, 2})
_BLACK_IS_ZERO, _RGB = 1, 2
_HEADER_BYTES = 16


def whole_head(picture: PictureFormat, page: Directory, strips: Strips) -> bytes:
    """Return what to put in front of the file, so that it is the page with all its samples.

    Lab is labelled as RGB unless libvips knows its encoding. Raises MalformedTiff.
    """
    photometric = page.integer(Tag.PHOTOMETRIC, _RGB)
    if picture.colour == "lab" and not (picture.samples == "lab" and picture.bits == 16):
        photometric = _RGB
    values: dict[int, Sequence[int]] = {
        Tag.PHOTOMETRIC: (photometric,),
        Tag.SAMPLES_PER_PIXEL: (page.integer(Tag.SAMPLES_PER_PIXEL, 1),),
        Tag.PLANAR_CONFIGURATION: (1,),
        Tag.ORIENTATION: (picture.orientation,),
    }
    if picture.extra_bands:
        meanings = (*page.integers(Tag.EXTRA_SAMPLES), *(0,) * picture.extra_bands)
        values[Tag.EXTRA_SAMPLES] = meanings[: picture.extra_bands]
    return _view_head(page, strips, values, slice(None))


def plane_heads(picture: PictureFormat, page: Directory, strips: Strips) -> list[bytes]:
    """Return the same for separate planes, each as a gray picture.

    libvips cannot read such tiles, and misreads such strips of Lab or gray with alpha (8.18.7).
    """
    planes = page.integer(Tag.SAMPLES_PER_PIXEL, 1)
    length = len(strips.offsets) // planes
    return [
        plane_head(picture, page, strips, slice(plane * length, (plane + 1) * length))
        for plane in range(planes)
    ]


def plane_head(
    picture: PictureFormat, page: Directory, strips: Strips, parts: slice = slice(None)
) -> bytes:
    """Return the same for one plane, whose strips or tiles are `parts`."""
    values: dict[int, Sequence[int]] = {
        Tag.PHOTOMETRIC: (_BLACK_IS_ZERO,),
        Tag.SAMPLES_PER_PIXEL: (1,),
        Tag.PLANAR_CONFIGURATION: (1,),
        Tag.ORIENTATION: (picture.orientation,),
    }
    return _view_head(page, strips, values, parts)


def _view_head(
    page: Directory, strips: Strips, values: Mapping[int, Sequence[int]], parts: slice
) -> bytes:
    [samples] = values[Tag.SAMPLES_PER_PIXEL]
    [bits, *_] = page.integers(Tag.BITS_PER_SAMPLE) or (1,)
    [form, *_] = page.integers(Tag.SAMPLE_FORMAT) or (1,)
    tags = {tag: _pack_shorts(page, shorts) for tag, shorts in values.items()}
    tags |= {
        Tag.BITS_PER_SAMPLE: _pack_shorts(page, (bits,) * samples),
        Tag.SAMPLE_FORMAT: _pack_shorts(page, (form if form == 3 else 1,) * samples),
        Tag.IMAGE_WIDTH: _pack_longs(page, (strips.image_width,)),
        Tag.IMAGE_LENGTH: _pack_longs(page, (strips.image_height + strips.extra_rows,)),
    }
    if strips.tiled:
        tags[Tag.TILE_WIDTH], tags[Tag.TILE_LENGTH] = (
            _pack_longs(page, (strips.width,)),
            _pack_longs(page, (strips.height,)),
        )
    else:
        rows = (
            strips.height if len(strips.offsets[parts]) > 1 else strips.height + strips.extra_rows
        )
        tags[Tag.ROWS_PER_STRIP] = _pack_longs(page, (rows,))
    if page.integer(Tag.FILL_ORDER, 1) not in _FILL_ORDERS:
        raise MalformedTiff(f"Its bits are in the order {page.integer(Tag.FILL_ORDER)}.")
    if strips.subsampling:
        tags[Tag.YCBCR_SUBSAMPLING] = _pack_shorts(page, strips.subsampling)
    tags |= {tag: _pack_shorts(page, page.integers(tag)) for tag in _KEPT_SHORTS if tag in page}
    tags |= {tag: _pack_longs(page, page.integers(tag)) for tag in _KEPT_LONGS if tag in page}
    if Tag.JPEG_TABLES in page:
        tables = page.raw(Tag.JPEG_TABLES)
        tags[Tag.JPEG_TABLES] = Type.UNDEFINED, len(tables), tables
    return _assemble_head(page, strips, tags, parts)


def _assemble_head(page: Directory, strips: Strips, tags: dict[int, _Field], parts: slice) -> bytes:
    offsets_tag, counts_tag = (
        (Tag.TILE_OFFSETS, Tag.TILE_BYTE_COUNTS)
        if strips.tiled
        else (Tag.STRIP_OFFSETS, Tag.STRIP_BYTE_COUNTS)
    )
    offsets, counts = strips.offsets[parts], strips.byte_counts[parts]
    tags[counts_tag] = _pack_longs(page, counts)
    tags[offsets_tag] = _pack_longs(page, offsets)
    # Offsets move by the length of what is put in front, which does not depend on them.
    length = len(_pack_directory(page, tags))
    tags[offsets_tag] = _pack_longs(page, [offset + length for offset in offsets])
    return _pack_directory(page, tags)


def _pack_directory(page: Directory, tags: dict[int, _Field]) -> bytes:
    """Return a BigTIFF header, one directory and its values; always BigTIFF, as offsets grow."""
    order = _byte_order(page)
    mark = b"MM" if page.big_endian else b"II"
    head = mark + struct.pack(f"{order}HHHQ", 43, 8, 0, _HEADER_BYTES)
    end = _HEADER_BYTES + 8 + 20 * len(tags) + 8
    entries, values = struct.pack(f"{order}Q", len(tags)), b""
    for tag, (field_type, count, data) in sorted(tags.items()):
        inline = data.ljust(8, b"\0")
        if len(data) > 8:
            inline = struct.pack(f"{order}Q", end + len(values))
            values += data + bytes(-len(data) % 8)
        entries += struct.pack(f"{order}HHQ", tag, field_type, count) + inline
    return head + entries + bytes(8) + values


def _pack_shorts(page: Directory, values: Sequence[int]) -> _Field:
    return Type.SHORT, len(values), struct.pack(f"{_byte_order(page)}{len(values)}H", *values)


def _pack_longs(page: Directory, values: Sequence[int]) -> _Field:
    return Type.LONG8, len(values), struct.pack(f"{_byte_order(page)}{len(values)}Q", *values)


def _byte_order(page: Directory) -> str:
    return ">" if page.big_endian else "<"
