"""The directories of a TIFF, read by ourselves: what libtiff guesses or mends, we want to know.

Source: TIFF 6.0, section 2 and appendix A; BigTIFF as described by libtiff.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from vitrine.ingest.master_bytes import MasterBytes, read_exactly
from vitrine.ingest.rejections import damaged_file, too_many_pages

IMAGE_WIDTH, IMAGE_LENGTH, BITS_PER_SAMPLE, COMPRESSION, PHOTOMETRIC = 256, 257, 258, 259, 262
STRIP_OFFSETS, ORIENTATION, SAMPLES_PER_PIXEL, ROWS_PER_STRIP = 273, 274, 277, 278
STRIP_BYTE_COUNTS, PLANAR_CONFIGURATION, PREDICTOR, COLOUR_MAP = 279, 284, 317, 320
TILE_WIDTH, TILE_LENGTH, TILE_OFFSETS, TILE_BYTE_COUNTS = 322, 323, 324, 325
SUB_IFDS, INK_SET, EXTRA_SAMPLES, SAMPLE_FORMAT, JPEG_TABLES = 330, 332, 338, 339, 347
YCBCR_SUBSAMPLING, ICC_PROFILE, DNG_VERSION = 530, 34675, 50706

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_SIZES |= {16: 8, 17: 8, 18: 8}
_INTEGERS = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
_MOST_ENTRIES = 4096
_MOST_VALUE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    """One tag: its type, the number of values, and where they lie in the file."""

    kind: int
    count: int
    position: int

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return _SIZES[self.kind] * self.count


@dataclass(frozen=True, kw_only=True)
class Page:
    """One directory. Values are read when they are asked for."""

    file: MasterBytes = field(repr=False)
    order: str
    """Byte order as `struct` writes it: < or >."""
    big: bool
    entries: dict[int, Entry] = field(repr=False)

    def raw(self, tag: int) -> bytes:
        """The bytes of a tag's values, b"" where it is absent. Raises MasterRejected."""
        entry = self.entries.get(tag)
        if entry is None:
            return b""
        if entry.size > min(self.file.size, _MOST_VALUE_BYTES):
            raise damaged_file(f"tag {tag} is said to have {entry.count:,} values")
        data = read_exactly(self.file, entry.position, entry.size)
        if len(data) < entry.size:
            raise damaged_file(f"tag {tag} lies beyond the end of the file")
        return data

    def numbers(self, tag: int) -> tuple[int, ...]:
        """The values of an unsigned integer tag, () where it is absent. Raises MasterRejected."""
        entry = self.entries.get(tag)
        if entry is None:
            return ()
        if entry.kind not in _INTEGERS:
            raise damaged_file(f"tag {tag} is no unsigned integer")
        return struct.unpack(f"{self.order}{entry.count}{_INTEGERS[entry.kind]}", self.raw(tag))

    def number(self, tag: int, default: int) -> int:
        """The one value of an unsigned integer tag. Raises MasterRejected, also if it has more."""
        if tag not in self.entries:
            return default
        values = self.numbers(tag)
        if len(values) != 1:
            raise damaged_file(f"tag {tag} has {len(values):,} values instead of one")
        return values[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, 0 where absent."""
        return self.number(IMAGE_WIDTH, 0), self.number(IMAGE_LENGTH, 0)


def read_pages(file: MasterBytes, limit: int) -> list[Page]:
    """The pages in the order of the file, at least one.

    Raises MasterRejected: damaged-file, too-many-pages.
    """
    prefix = read_exactly(file, 0, 16)
    order = "<" if prefix[:2] == b"II" else ">"
    big = prefix[2:4] in (b"+\0", b"\0+")
    form, at = (f"{order}Q", 8) if big else (f"{order}I", 4)
    if len(prefix) < at + struct.calcsize(form):
        raise damaged_file(f"the file ends after {file.size:,} bytes")
    [position] = struct.unpack_from(form, prefix, at)
    pages: list[Page] = []
    seen: set[int] = set()
    while position:
        if position in seen:
            raise damaged_file("its chain of directories is a loop")
        if len(pages) == limit:
            raise too_many_pages(limit)
        seen.add(position)
        page, position = read_page(file, order, big, position)
        pages.append(page)
    if not pages:
        raise damaged_file("the file has no directory")
    return pages


def read_page(file: MasterBytes, order: str, big: bool, position: int) -> tuple[Page, int]:
    """The directory at `position`, and where the next one is (0: it is the last).

    Raises MasterRejected with code damaged-file.
    """
    count_form, entry_size, next_form = ("Q", 20, "Q") if big else ("H", 12, "I")
    head = struct.calcsize(count_form)
    data = read_exactly(file, position, head)
    if len(data) < head:
        raise damaged_file(f"its directory should be at byte {position:,} of {file.size:,}")
    [count] = struct.unpack(order + count_form, data)
    if not 0 < count <= _MOST_ENTRIES:
        raise damaged_file(f"the directory at byte {position:,} is said to have {count:,} entries")
    tail = struct.calcsize(next_form)
    body = read_exactly(file, position + head, count * entry_size + tail)
    if len(body) < count * entry_size + tail:
        raise damaged_file(f"the directory at byte {position:,} is cut off")
    entries = dict(_entries(body, order, big, count, position + head))
    [following] = struct.unpack_from(order + next_form, body, count * entry_size)
    return Page(file=file, order=order, big=big, entries=entries), following


def _entries(
    body: bytes, order: str, big: bool, count: int, position: int
) -> Iterator[tuple[int, Entry]]:
    form, size, inline = ("HHQQ", 20, 8) if big else ("HHII", 12, 4)
    seen = set()
    for number in range(count):
        tag, kind, values, offset = struct.unpack_from(order + form, body, number * size)
        if kind not in _SIZES or tag in seen:
            continue
        seen.add(tag)
        if _SIZES[kind] * values <= inline:
            offset = position + (number + 1) * size - inline
        yield tag, Entry(kind, values, offset)
