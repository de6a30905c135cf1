"""One level of an opened pyramid: where its tiles are, and how they are stored."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from vitrine.errors import DamagedAccessMaster
from vitrine.iiif.region import Box
from vitrine.store.tiff.checksums import crc32c
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.index import read_index
from vitrine.store.tiff.pyramid import PyramidLevel
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import Tag

RGB, YCBCR, GRAY = 2, 6, 1
"""Values of PhotometricInterpretation; in gray, 0 is black."""
MAX_TILE_BYTES = 16 << 20
"""Length of one stored tile: a longer one is not a tile but an attack."""
MAX_TABLES_BYTES = 16 << 10
"""Length of JPEGTables; the standard's own take 574 bytes."""

TileRanges = dict[int, tuple[int, int]]
"""Offset and length of tiles by their numbers: row by row from 0."""

_START, _END = b"\xff\xd8", b"\xff\xd9"
_JPEG, _CONTIGUOUS, _SAMPLE_BITS = 7, 1, 8
_DEFAULT_SUBSAMPLING = (2, 2)  # TIFF 6.0, section 21
_MAX_SAMPLES = 64
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
    """Channels per pixel."""
    bits: int
    """Bits of the widest sample."""
    contiguous: bool
    """True if a tile holds all channels, not one."""
    subsampling: tuple[int, int]
    """Horizontal and vertical factor of the chroma."""
    tables: bytes
    """The value of JPEGTables with SOI and EOI; b"" if each tile has its own tables."""
    offsets: "array[int]"
    counts: "array[int]"
    """Length of each tile in bytes."""
    checksums: "array[int]"
    """CRC-32C of each tile; without `is_sealed` of what was read of it first, 0 before that."""
    is_sealed: bool
    """True if the checksums stand in the file."""
    file_bytes: int

    @property
    def passes_through(self) -> bool:
        """True if tiles are JPEG streams of the pixels as viewers are to see them."""
        kind = (self.photometric, self.samples)
        return (self.compression, self.bits, self.contiguous) == (
            _JPEG,
            _SAMPLE_BITS,
            True,
        ) and kind in ((RGB, 3), (YCBCR, 3), (GRAY, 1))

    @property
    def index_bytes(self) -> int:
        """Memory of the tile index."""
        indexes = (self.offsets, self.counts, self.checksums)
        return sum(len(index) * index.itemsize for index in indexes)

    def tile_range(self, column: int, row: int) -> tuple[int, int]:
        """Return offset and length of a tile's bytes.

        Raises IndexError if the level has no such tile, Unavailable if the tile is outside the file
        or its length is impossible.
        """
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            raise IndexError(
                f"there is no tile {column}, {row}: the level has {self.columns} by {self.rows}"
            )
        return self._tile_range(row * self.columns + column)

    def accepts(self, number: int, stored: bytes) -> bool:
        """Return True if these bytes are tile `number`, row by row from 0: a whole JPEG stream.

        Where the file has no checksums, they must be those that were read of it first.
        """
        checksum, known = crc32c(stored), self.checksums[number]
        if checksum == known:
            return True
        if self.is_sealed or known or not _is_whole(stored, self.counts[number]):
            return False
        self.checksums[number] = checksum
        return True

    def ranges(self, box: Box) -> list[tuple[int, int]]:
        """Return offset and length of the tiles under `box`, in pixels of this level, clipped.

        The ranges are sorted by offset, and neighbours are joined. Raises Unavailable.
        """
        return join_ranges(self.tile_ranges(box).values())

    def tile_ranges(self, box: Box) -> TileRanges:
        """Return those of each tile under `box`, the planes of a level one after the other.

        Raises Unavailable.
        """
        last_column = min(box.x + box.width - 1, self.width - 1) // self.tile_width
        last_row = min(box.y + box.height - 1, self.height - 1) // self.tile_height
        columns = range(max(box.x, 0) // self.tile_width, last_column + 1)
        rows = range(max(box.y, 0) // self.tile_height, last_row + 1)
        return {
            (number := plane + row * self.columns + column): self._tile_range(number)
            for plane in range(0, len(self.offsets), self.columns * self.rows)
            for row in rows
            for column in columns
        }

    def _tile_range(self, number: int) -> tuple[int, int]:
        offset, count = self.offsets[number], self.counts[number]
        if not 0 < count <= MAX_TILE_BYTES or offset + count > self.file_bytes:
            raise DamagedAccessMaster("the access master is damaged: a tile is outside the file")
        return offset, count


def _is_whole(stream: bytes, length: int) -> bool:
    """Return True if a JPEG stream has its `length`, and starts and ends as it must."""
    return len(stream) == length and stream.startswith(_START) and stream.endswith(_END)


def join_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the fewest ranges, by offset, that cover these; tiny gaps are covered as well."""
    joined: list[tuple[int, int]] = []
    for offset, length in sorted(ranges):
        if joined and offset <= sum(joined[-1]) + _WORTHLESS_GAP:
            start, before = joined[-1]
            joined[-1] = (start, max(before, offset + length - start))
        else:
            joined.append((offset, length))
    return joined


def read_level(
    level: PyramidLevel, file_bytes: int, checksums: "array[int] | None" = None
) -> StoredLevel:
    """Read a level with its index; `checksums` are those of its tiles, if the file has any.

    Raises MalformedTiff, and what the page's reader raises.
    """
    page = level.page
    expected = level.columns * level.rows
    counts = page.count(Tag.TILE_OFFSETS), page.count(Tag.TILE_BYTE_COUNTS)
    contiguous = page.integer(Tag.PLANAR_CONFIGURATION, _CONTIGUOUS) == _CONTIGUOUS
    samples = page.integer(Tag.SAMPLES_PER_PIXEL, 1)
    stored = expected if contiguous else expected * samples
    if counts != (stored, stored):
        raise MalformedTiff(
            f"A level of {level.width} x {level.height} pixels has {counts[0]:,} tile offsets "
            f"and {counts[1]:,} byte counts, not {stored:,} of each."
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
        bits=max(_channel_values(page, Tag.BITS_PER_SAMPLE) or (1,)),
        contiguous=contiguous,
        subsampling=_read_subsampling(page),
        tables=_jpeg_tables(page),
        offsets=read_index(page, Tag.TILE_OFFSETS),
        counts=read_index(page, Tag.TILE_BYTE_COUNTS),
        checksums=array("I", bytes(4 * stored)) if checksums is None else checksums,
        is_sealed=checksums is not None,
        file_bytes=file_bytes,
    )


def _read_subsampling(page: Directory) -> tuple[int, int]:
    """Return the chroma subsampling, 1 and 1 for pixels other than YCbCr."""
    if page.integer(Tag.PHOTOMETRIC) != YCBCR:
        return 1, 1
    match _channel_values(page, Tag.YCBCR_SUBSAMPLING):
        case (horizontal, vertical):
            return horizontal, vertical
        case _:
            return _DEFAULT_SUBSAMPLING


def _channel_values(page: Directory, tag: int) -> tuple[int, ...]:
    """Return the integers of a tag that has at most one per channel. Raises MalformedTiff."""
    if page.count(tag) > _MAX_SAMPLES:
        raise MalformedTiff(f"The tag {int(tag)} has {page.count(tag):,} values.")
    return page.integers(tag)


def _jpeg_tables(page: Directory) -> bytes:
    length = page.length(Tag.JPEG_TABLES)
    if length > MAX_TABLES_BYTES:
        raise MalformedTiff(f"Its JPEG tables claim {length:,} bytes.")
    return page.raw(Tag.JPEG_TABLES)
