"""The picture in a TIFF, and files in which libvips sees just that picture."""

from dataclasses import dataclass

from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.formats.tiff_file import malformed_is_rejected, tiff_reader
from vitrine.ingest.inspect.formats.tiff_format import find_largest, planes_of
from vitrine.ingest.inspect.formats.tiff_jpeg import as_coded
from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.ingest.inspect.formats.tiff_view import (
    plane_head,
    plane_heads,
    whole_head,
)
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.ingest.rejections import tiles_too_large
from vitrine.store.ranged import read_exactly
from vitrine.store.tiff.reading import Directory

_MAX_OVERSIZED_TILES = 1_024
"""Each is a file of its own to libvips."""


@dataclass(frozen=True)
class TiffPicture:
    """The largest picture. `views` is one file, or one for each separate plane."""

    picture_format: PictureFormat
    strips: Strips
    views: list[Prefixed]
    tiles_across: int
    """0, or the tiles in a row of a picture of which each tile is a view, plane by plane."""
    old_lzw: bool
    """LZW as it was before TIFF 6.0, in strips: libtiff warns although it decodes it."""


def read_tiff(file: MasterBytes, most_pages: int, most_pixels: int) -> TiffPicture:
    """Read the largest picture from the directories. Raises MasterRejected."""
    with malformed_is_rejected(most_pages):
        picture_format, page, strips = find_largest(tiff_reader(file, most_pages), most_pixels)
        if picture_format.compression == "JPEG":
            strips = as_coded(file, page, strips)
        heads = _make_heads(picture_format, page, strips)
    in_lzw_strips = picture_format.compression == "LZW" and not strips.tiled
    return TiffPicture(
        picture_format=picture_format,
        strips=strips,
        views=[Prefixed(head, file) for head in heads],
        tiles_across=strips.across if strips.oversized else 0,
        old_lzw=in_lzw_strips and _is_old_lzw(file, strips),
    )


def _make_heads(picture_format: PictureFormat, page: Directory, strips: Strips) -> list[bytes]:
    planes = planes_of(page)
    if not strips.oversized:
        if planes > 1:
            return plane_heads(picture_format, page, strips)
        return [whole_head(picture_format, page, strips)]
    if len(strips.offsets) > _MAX_OVERSIZED_TILES:
        raise tiles_too_large(strips.width, strips.height)
    numbers = range(len(strips.offsets))
    if planes > 1:
        return [plane_head(picture_format, page, strips.tile_as_strip(n)) for n in numbers]
    return [whole_head(picture_format, page, strips.tile_as_strip(n)) for n in numbers]


def _is_old_lzw(file: MasterBytes, strips: Strips) -> bool:
    """Return True if the first code, which clears the table, is stored from its lowest bit on."""
    first = read_exactly(file, strips.offsets[0], 2)
    return first[:1] == b"\0" and first[1:] != b"" and bool(first[1] & 1)
