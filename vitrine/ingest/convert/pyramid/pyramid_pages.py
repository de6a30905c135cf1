"""The directories of an access master: one page per level, full resolution first."""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_builder import level_sizes
from vitrine.ingest.convert.pyramid.tile_encoder import Encoders, TileEncoder
from vitrine.store.tiff.entry import TiffEntry, longs, opaque, rationals, shorts
from vitrine.store.tiff.tags import Tag
from vitrine.store.tiff.writing import CLASSIC_LIMIT, NewDirectory, TiffLayout, lay_out

_JPEG, _YCBCR, _CONTIGUOUS, _CENTRED = 7, 6, 1, 1
_NO_UNIT = 1
_MAX_BYTES_PER_PIXEL = 4
"""Raw pixels, and a third more for the smaller levels; JPEG stays below."""
_FULL_RANGE = rationals((0, 1), (255, 1), (128, 1), (255, 1), (128, 1), (255, 1))
_DEFAULT_RESOLUTION: dict[int, TiffEntry] = {
    Tag.X_RESOLUTION: rationals((1, 1)),
    Tag.Y_RESOLUTION: rationals((1, 1)),
    Tag.RESOLUTION_UNIT: shorts(_NO_UNIT),
}


@dataclass(frozen=True)
class PyramidPlan:
    """What is known of the file before the first pixel.

    Byte counts and checksums are filled in later.
    """

    sizes: tuple[tuple[int, int], ...]
    """Width and height of each level, full resolution first."""
    pages: tuple[NewDirectory, ...]
    byte_counts: tuple[list[int], ...]
    """Bytes of each tile, by level."""
    checksums: tuple[list[int], ...]
    """CRC-32C of each tile, by level."""

    def lay_out(self) -> TiffLayout:
        """Lay out the file around its tiles, once all byte counts are known."""
        return lay_out(self.pages)

    def head_bytes(self) -> int:
        """Return the bytes from the file's start that hold all directories and indexes.

        Exact below a gigapixel; above, that of BigTIFF, which might be needed.
        """
        width, height = self.sizes[0]
        big = width * height * _MAX_BYTES_PER_PIXEL >= CLASSIC_LIMIT
        pages = []
        for page in self.pages:
            tiles = [1] * _count_tiles(page)
            pages.append(NewDirectory(page.entries, page.children, tiles, tiles))
        return len(lay_out(pages, big=big).head)


def plan_pages(
    width: int, height: int, encoders: Encoders, *, profile: bytes, metadata: Metadata
) -> PyramidPlan:
    """Plan the pages of an image of this size. `profile` is the ICC profile of the pixels."""
    sizes = tuple(level_sizes(width, height, encoders.tile_size))
    byte_counts: tuple[list[int], ...] = tuple([] for _ in sizes)
    checksums: tuple[list[int], ...] = tuple([] for _ in sizes)
    pages = []
    for level, size in enumerate(sizes):
        entries = _structure_entries(size, encoders.of(reduced=level > 0), reduced=level > 0)
        entries |= _DEFAULT_RESOLUTION
        if level == 0:
            entries |= metadata.entries
            entries[Tag.ICC_PROFILE] = opaque(profile)
        children = dict(metadata.children) if level == 0 else {}
        pages.append(NewDirectory(entries, children, byte_counts[level], checksums[level]))
    return PyramidPlan(sizes, tuple(pages), byte_counts, checksums)


def _structure_entries(
    size: Sequence[int], encoder: TileEncoder, *, reduced: bool
) -> dict[int, TiffEntry]:
    return {
        Tag.NEW_SUBFILE_TYPE: longs(int(reduced)),
        Tag.IMAGE_WIDTH: longs(size[0]),
        Tag.IMAGE_LENGTH: longs(size[1]),
        Tag.BITS_PER_SAMPLE: shorts(8, 8, 8),
        Tag.COMPRESSION: shorts(_JPEG),
        Tag.PHOTOMETRIC: shorts(_YCBCR),
        Tag.SAMPLES_PER_PIXEL: shorts(3),
        Tag.PLANAR_CONFIGURATION: shorts(_CONTIGUOUS),
        Tag.TILE_WIDTH: shorts(encoder.tile_size),
        Tag.TILE_LENGTH: shorts(encoder.tile_size),
        Tag.JPEG_TABLES: opaque(encoder.tables),
        Tag.YCBCR_SUBSAMPLING: shorts(*encoder.subsampling),
        Tag.YCBCR_POSITIONING: shorts(_CENTRED),
        Tag.REFERENCE_BLACK_WHITE: _FULL_RANGE,
    }


def _count_tiles(page: NewDirectory) -> int:
    width, height = (page.entries[tag].integers()[0] for tag in (Tag.IMAGE_WIDTH, Tag.IMAGE_LENGTH))
    tile = page.entries[Tag.TILE_WIDTH].integers()[0]
    return -(-width // tile) * -(-height // tile)
