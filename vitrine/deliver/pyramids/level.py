"""One level of an opened pyramid: where its tiles lie, and how they are stored."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from vitrine.errors import Unavailable
from vitrine.iiif.region import Box
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.index import read_index
from vitrine.store.tiff.pyramid import PyramidLevel
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import Tag

RGB, YCBCR, GRAY = 2, 6, 1
"""Values of PhotometricInterpretation; gray is 0 where there is no light."""
LARGEST_TILE_BYTES = 16 << 20
"""Of one stored tile: more is no tile but an attack."""
LARGEST_TABLES_BYTES = 16 << 10
"""Of JPEGTables; the standard's own take 574."""

_JPEG, _CONTIGUOUS, _SAMPLE_BITS = 7, 1, 8
_DEFAULT_SUBSAMPLING = (2, 2)  # TIFF 6.0, section 21
_MOST_SAMPLES = 64
_WORTHLESS_GAP = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredLevel:
    """One level; sizes in pixels, tiles from left to right, then from top to bottom."""

    width: int
    height: int
    tile_width: int
    tile_height: int
    columns: int
    rows: int
    compression: int
    photometric: int
    samples: int
    """Channels of a pixel."""
    bits: int
    """Of the widest sample."""
    contiguous: bool
    """A tile holds all channels, not one."""
    subsampling: tuple[int, int]
    """Horizontal and vertical factor of the chroma."""
    tables: bytes
    """The value of JPEGTables, SOI and EOI included; b"" where each tile has its own."""
    offsets: "array[int]"
    counts: "array[int]"
    """Bytes of each tile."""
    file_bytes: int

    @property
    def passes_through(self) -> bool:
        """Whether tiles are JPEG streams of the pixels as they are to be seen."""
        kind = (self.photometric, self.samples)
        return (self.compression, self.bits, self.contiguous) == (
            _JPEG,
            _SAMPLE_BITS,
            True,
        ) and kind in ((RGB, 3), (YCBCR, 3), (GRAY, 1))

    @property
    def index_bytes(self) -> int:
        """Memory that the positions of the tiles take."""
        return sum(len(index) * index.itemsize for index in (self.offsets, self.counts))

    def tile_range(self, column: int, row: int) -> tuple[int, int]:
        """Offset and length of a tile's bytes.

        Raises IndexError where the level has no such tile, Unavailable where the file ends
        before it or says nonsense.
        """
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            raise IndexError(f"no tile {column}, {row} in {self.columns} by {self.rows}")
        return self._range(row * self.columns + column)

    def ranges(self, box: Box) -> list[tuple[int, int]]:
        """Offset and length of the tiles under `box`, in pixels of this level, clipped to it.

        By offset; neighbours are one. Raises Unavailable.
        """
        return joined(self.tile_ranges(box))

    def tile_ranges(self, box: Box) -> list[tuple[int, int]]:
        """The same for each tile by itself. Raises Unavailable."""
        last_column = min(box.x + box.width - 1, self.width - 1) // self.tile_width
        last_row = min(box.y + box.height - 1, self.height - 1) // self.tile_height
        numbers = [
            row * self.columns + column
            for row in range(max(box.y, 0) // self.tile_height, last_row + 1)
            for column in range(max(box.x, 0) // self.tile_width, last_column + 1)
        ]
        plane = self.columns * self.rows
        planes = range(0, len(self.offsets), plane)
        return [self._range(start + number) for start in planes for number in numbers]

    def _range(self, number: int) -> tuple[int, int]:
        offset, count = self.offsets[number], self.counts[number]
        if not 0 < count <= LARGEST_TILE_BYTES or offset + count > self.file_bytes:
            raise Unavailable("the access master is damaged: a tile lies outside it")
        return offset, count


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Offsets and lengths, by offset, as few as cover these; they cover tiny gaps, too."""
    found: list[tuple[int, int]] = []
    for offset, length in sorted(ranges):
        if found and offset <= sum(found[-1]) + _WORTHLESS_GAP:
            start, before = found[-1]
            found[-1] = (start, max(before, offset + length - start))
        else:
            found.append((offset, length))
    return found


def read_level(level: PyramidLevel, file_bytes: int) -> StoredLevel:
    """The level with its index. Raises MalformedTiff, and what the page's reader raises."""
    page = level.page
    expected = level.columns * level.rows
    found = page.count(Tag.TILE_OFFSETS), page.count(Tag.TILE_BYTE_COUNTS)
    contiguous = page.integer(Tag.PLANAR_CONFIGURATION, _CONTIGUOUS) == _CONTIGUOUS
    samples = page.integer(Tag.SAMPLES_PER_PIXEL, 1)
    stored = expected if contiguous else expected * samples
    if found != (stored, stored):
        raise MalformedTiff(
            f"A level of {level.width} x {level.height} pixels has {found[0]:,} tile offsets "
            f"and {found[1]:,} byte counts, not {stored:,} of each."
        )
    return StoredLevel(
        width=level.width,
        height=level.height,
        tile_width=level.tile_width,
        tile_height=level.tile_height,
        columns=level.columns,
        rows=level.rows,
        compression=page.integer(Tag.COMPRESSION, 1),
        photometric=page.integer(Tag.PHOTOMETRIC),
        samples=samples,
        bits=max(_few(page, Tag.BITS_PER_SAMPLE) or (1,)),
        contiguous=contiguous,
        subsampling=_subsampling(page),
        tables=_tables(page),
        offsets=read_index(page, Tag.TILE_OFFSETS),
        counts=read_index(page, Tag.TILE_BYTE_COUNTS),
        file_bytes=file_bytes,
    )


def _subsampling(page: Directory) -> tuple[int, int]:
    """1, 1 for what is not YCbCr."""
    if page.integer(Tag.PHOTOMETRIC) != YCBCR:
        return 1, 1
    match _few(page, Tag.YCBCR_SUBSAMPLING):
        case (horizontal, vertical):
            return horizontal, vertical
        case _:
            return _DEFAULT_SUBSAMPLING


def _few(page: Directory, tag: int) -> tuple[int, ...]:
    """The integers of a tag that has one per channel at most."""
    if page.count(tag) > _MOST_SAMPLES:
        raise MalformedTiff(f"The tag {int(tag)} has {page.count(tag):,} values.")
    return page.integers(tag)


def _tables(page: Directory) -> bytes:
    length = page.length(Tag.JPEG_TABLES)
    if length > LARGEST_TABLES_BYTES:
        raise MalformedTiff(f"Its JPEG tables claim {length:,} bytes.")
    return page.raw(Tag.JPEG_TABLES)
