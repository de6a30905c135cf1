"""The positions of a page's strips or tiles, all of which must be in the file."""

from bisect import bisect_right
from dataclasses import dataclass, replace

from vitrine.ingest.inspect.formats.tiff_file import size_of
from vitrine.ingest.rejections import cut_off_file, damaged_file, too_expensive_to_read
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import Tag

_MAX_PARTS = 16_000_000
_MAX_TILE_BYTES = 100_000_000
_MAX_TILE_SIDE = 8_192
_PARTS = ((Tag.STRIP_OFFSETS, Tag.STRIP_BYTE_COUNTS), (Tag.TILE_OFFSETS, Tag.TILE_BYTE_COUNTS))


@dataclass(frozen=True, kw_only=True)
class Strips:
    """Strips or tiles, one plane after the other. A strip is as wide as the image."""

    image_width: int
    image_height: int
    row_bytes: int
    """Decoded bytes of a row of one part."""
    width: int
    height: int
    tiled: bool
    offsets: tuple[int, ...]
    byte_counts: tuple[int, ...]
    surplus: int = 0
    """Strips or tiles that are listed and lie beyond the picture."""
    extra_rows: int = 0
    """Rows below the picture that the lowest strip holds, as a JPEG of its own size."""
    subsampling: tuple[int, int] | None = None
    """Subsampling of the chroma of JPEG strips or tiles, across and down, as they are coded."""

    @property
    def oversized(self) -> bool:
        """True if libvips (8.18.7) rejects these tiles, for their bytes or their sides."""
        largest = max(self.width, self.height)
        return self.tiled and (
            self.full_bytes > _MAX_TILE_BYTES
            or largest > min(_MAX_TILE_SIDE, 2 * max(self.image_width, self.image_height))
        )

    @property
    def across(self) -> int:
        """Number of tiles in a row."""
        return -(-self.image_width // self.width)

    @property
    def padding_pixels(self) -> int:
        """Pixels of the tiles that lie beyond the picture."""
        if not self.tiled:
            return 0
        down = -(-self.image_height // self.height)
        padded = self.across * self.width * down * self.height
        return padded - self.image_width * self.image_height

    def tile_as_strip(self, number: int) -> "Strips":
        """Return one tile as a picture in one strip: its bytes are the same."""
        return replace(
            self,
            image_width=self.width,
            image_height=self.height,
            tiled=False,
            offsets=self.offsets[number : number + 1],
            byte_counts=self.byte_counts[number : number + 1],
        )

    @property
    def full_bytes(self) -> int:
        """Decoded bytes of a part of full height."""
        return self.height * self.row_bytes

    def needed_bytes(self, number: int) -> int:
        """Return the decoded bytes of a part; the lowest strips may have fewer rows."""
        if self.tiled:
            return self.full_bytes
        down = -(-self.image_height // self.height)
        return min(self.height, self.image_height - number % down * self.height) * self.row_bytes

    def end(self, number: int, *, compressed: bool) -> int:
        """Return the byte of the file behind a part."""
        needed = self.byte_counts[number] if compressed else self.needed_bytes(number)
        return self.offsets[number] + needed


def read_strips(
    page: Directory, file_bytes: int, *, planes: int, bits_per_pixel: int, compressed: bool
) -> Strips:
    """Read the positions of the strips or tiles of `page`, each of which is in the file.

    `planes` is 1 unless samples are in separate planes; `bits_per_pixel` are those of one plane.
    Raises MalformedTiff, and MasterRejected with code damaged-file for a strip or tile that is
    missing, empty or cut off.
    """
    width, height, tiled = _strip_shape(page)
    image_width, image_height = size_of(page)
    across, down = -(-image_width // width), -(-image_height // height)
    expected = across * down * planes
    if expected > _MAX_PARTS:
        raise damaged_file(f"{expected:,} strips or tiles")
    # Some old writers list tiles as if they were strips.
    offsets, lengths = _PARTS[tiled and Tag.TILE_OFFSETS in page]
    surplus = _count_surplus(page.count(offsets), page.count(lengths), expected, planes)
    strips = Strips(
        image_width=image_width,
        image_height=image_height,
        row_bytes=-(-width * bits_per_pixel // 8),
        width=width,
        height=height,
        tiled=tiled,
        offsets=page.integers(offsets)[:expected],
        byte_counts=page.integers(lengths)[:expected],
        surplus=surplus,
    )
    if not any(strips.byte_counts):
        strips = _with_lengths(strips, file_bytes, compressed=compressed)
    whole = max(strips.end(number, compressed=compressed) for number in range(expected))
    if whole > file_bytes:
        raise cut_off_file(file_bytes, whole)
    for number in range(expected):
        _check_part(strips, number, compressed)
    _check_overlap(file_bytes, strips)
    return strips


def check_parts_present(pages: list[Directory], file_bytes: int) -> None:
    """Raise MasterRejected, damaged-file, if a page is cut off. Raises MalformedTiff."""
    ends = [
        offset + count
        for page in pages
        for offsets, counts in _PARTS
        for offset, count in zip(page.integers(offsets), page.integers(counts), strict=False)
    ]
    whole = max(ends, default=0)
    if whole > file_bytes:
        raise cut_off_file(file_bytes, whole)


def _count_surplus(listed: int, lengths: int, expected: int, planes: int) -> int:
    """Return how many parts are listed beyond those of the picture: 0 or 1.

    Their lengths may be absent. Raises MasterRejected, damaged-file, for fewer, or for so many that
    the size of the picture may be wrong.
    """
    surplus = listed - expected
    if surplus not in (0, 1) or (surplus and planes > 1) or lengths not in (0, expected, listed):
        raise damaged_file(
            f"{listed:,} positions and {lengths:,} lengths of strips or tiles are listed, the "
            f"picture needs {expected:,}"
        )
    return surplus


def _with_lengths(strips: Strips, file_bytes: int, *, compressed: bool) -> Strips:
    """Return strips or tiles whose lengths the file does not state, with their lengths.

    A compressed one may reach as far as the next one, or the end of the file: it says itself where
    it ends.
    """
    if not compressed:
        lengths = [strips.needed_bytes(number) for number in range(len(strips.offsets))]
        return replace(strips, byte_counts=tuple(lengths))
    bounds = [*sorted(set(strips.offsets)), file_bytes]
    lengths = [
        max(bounds[bisect_right(bounds, at, hi=len(bounds) - 1)] - at, 0) for at in strips.offsets
    ]
    return replace(strips, byte_counts=tuple(lengths))


def _strip_shape(page: Directory) -> tuple[int, int, bool]:
    image_width, image_height = size_of(page)
    if Tag.TILE_OFFSETS in page or Tag.TILE_WIDTH in page:
        width, height = page.integer(Tag.TILE_WIDTH, 0), page.integer(Tag.TILE_LENGTH, 0)
        if not (0 < width <= 65536 and 0 < height <= 65536):
            raise damaged_file(f"tiles of {width} x {height} pixels")
        return width, height, True
    rows = min(page.integer(Tag.ROWS_PER_STRIP, 0) or image_height, image_height)
    return image_width, rows, False


def _check_overlap(file_bytes: int, strips: Strips) -> None:
    """Raise MasterRejected if parts overlap so much that each byte is decoded again and again.

    Some programs let blank tiles share their bytes; those are fewer than their pixels.
    """
    claimed = sum(strips.byte_counts)
    if claimed > file_bytes + len(strips.byte_counts) * strips.full_bytes:
        raise too_expensive_to_read(
            f"{claimed:,} bytes of strips or tiles in a file of {file_bytes:,}"
        )


def _check_part(strips: Strips, number: int, compressed: bool) -> None:
    """Raise MasterRejected unless a part is complete.

    A compressed part must be in the file; another one may be padded, by less than a row.
    """
    offset, count = strips.offsets[number], strips.byte_counts[number]
    needed = count if compressed else strips.needed_bytes(number)
    if not offset or not count or count < needed:
        raise damaged_file(
            f"part {number + 1} should be {max(count, needed):,} bytes, it is {count:,} bytes from "
            f"byte {offset:,} on"
        )
    if count >= needed + strips.row_bytes and count != strips.full_bytes and not compressed:
        raise damaged_file(f"part {number + 1} has {count:,} bytes, {needed:,} belong to it")
