"""The layout of a pyramid with all directories at the front of the file.

The order is that of a cloud-optimised GeoTIFF: header, seal, directories, values, tile indexes
(smallest page first), checksums of the tiles, tiles (smallest page first), and after them the
values that no reader of pixels needs. Source: TIFF 6.0 section 2; the BigTIFF proposal (libtiff).
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from vitrine.store.tiff.checksums import SEAL_BYTES, pack_tile_checksums, seal
from vitrine.store.tiff.entry import TiffEntry, longs
from vitrine.store.tiff.tags import Tag, Type

CLASSIC_LIMIT = 1 << 32
"""A file of this many bytes is BigTIFF."""
LARGE_VALUE_BYTES = 16 << 10
"""Larger values are stored after the tiles."""


@dataclass(frozen=True)
class NewDirectory:
    """A directory to be written: its fields and, by pointer tag, its sub-directories.

    `tile_byte_counts` are those of a page with tiles, in their order, `tile_checksums` the CRC-32C
    of each, in all pages or in none; both may be added until the file is laid out.
    """

    entries: dict[int, TiffEntry]
    children: dict[int, "NewDirectory"] = field(default_factory=dict)
    tile_byte_counts: Sequence[int] = ()
    tile_checksums: Sequence[int] = ()

    def family(self) -> Iterator["NewDirectory"]:
        """Yield this directory and all below it, parents first."""
        yield self
        for child in self.children.values():
            yield from child.family()


@dataclass(frozen=True)
class TiffLayout:
    """The bytes before the first tile and after the last; the file's length in bytes."""

    head: bytes
    tail: bytes
    total_bytes: int


def lay_out(pages: Sequence[NewDirectory], *, big: bool = False) -> TiffLayout:
    """Compute all offsets. Tiles follow the head, each page's in order, last page first.

    The file is BigTIFF if `big`, or if the exact length needs it. Raises ValueError if it is too
    long for BigTIFF as well.
    """
    for form in (_BIG,) if big else (_CLASSIC, _BIG):
        layout = _TiffWriter(pages, form).layout()
        if layout:
            return layout
    raise ValueError("the pages are too long even for BigTIFF")


@dataclass(frozen=True)
class _WriteForm:
    """Structures that differ between TIFF and BigTIFF."""

    header: bytes
    count: struct.Struct
    field: struct.Struct
    offset: struct.Struct
    pointer: Type
    limit: int

    def directory_bytes(self, fields: int) -> int:
        return self.count.size + fields * self.field.size + self.offset.size


_CLASSIC = _WriteForm(
    struct.pack("<2sH", b"II", 42),
    struct.Struct("<H"),
    struct.Struct("<HHI4s"),
    struct.Struct("<I"),
    Type.LONG,
    CLASSIC_LIMIT,
)
_BIG = _WriteForm(
    struct.pack("<2sHHH", b"II", 43, 8, 0),
    struct.Struct("<Q"),
    struct.Struct("<HHQ8s"),
    struct.Struct("<Q"),
    Type.LONG8,
    1 << 63,
)


class _Block:
    """Consecutive values, each at an even offset."""

    def __init__(self, start: int) -> None:
        self.data = bytearray(start % 2)
        self._start = start

    def place(self, value: bytes) -> int:
        """Append `value` and return its offset in the file."""
        offset = self.end
        self.data += value + bytes(len(value) % 2)
        return offset

    @property
    def end(self) -> int:
        return self._start + len(self.data)


class _SharingBlock(_Block):
    """A block that stores equal values once: the JPEG tables of all pages are the same."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self._known: dict[bytes, int] = {}

    def place(self, value: bytes) -> int:
        if value not in self._known:
            self._known[value] = super().place(value)
        return self._known[value]


class _TiffWriter:
    def __init__(self, pages: Sequence[NewDirectory], form: _WriteForm) -> None:
        self._pages = pages
        self._form = form
        self._members = [member for page in pages for member in page.family()]
        self._fields: dict[int, dict[int, bytes]] = {id(member): {} for member in self._members}
        self._offsets: dict[int, int] = {}
        checksums = [page.tile_checksums for page in reversed(pages)]
        self._checksums = pack_tile_checksums([number for page in checksums for number in page])
        self._seal = bytes(SEAL_BYTES) if self._checksums else b""

    def layout(self) -> TiffLayout | None:
        """Return the layout, None when the file is too long for the form."""
        values = _SharingBlock(self._place_directories())
        self._place_values(values, large=False)
        indexes, tiles_end = self._place_tiles(values.end)
        tail = _Block(tiles_end)
        self._place_values(tail, large=True)
        if tail.end > self._form.limit:
            return None
        first = self._form.offset.pack(self._offsets[id(self._pages[0])])
        directories = b"".join(self._directory(member) for member in self._members)
        end = bytes(tail.data) if len(tail.data) > 1 else b""
        lead = self._form.header + first + self._seal
        head = lead + directories + values.data + indexes + self._checksums
        if self._seal:
            head = seal(head, end, big=self._form is _BIG)
        return TiffLayout(head, end, tiles_end + len(end))

    def _place_directories(self) -> int:
        """Compute the directories' offsets and return that of the first value."""
        position = len(self._form.header) + self._form.offset.size + len(self._seal)
        for member in self._members:
            self._offsets[id(member)] = position
            fields = len(member.entries) + len(member.children) + 2 * bool(member.tile_byte_counts)
            position += self._form.directory_bytes(fields)
        return position

    def _place_values(self, block: _Block, *, large: bool) -> None:
        for member in self._members:
            for tag, entry in sorted(member.entries.items()):
                if (len(entry.data) > LARGE_VALUE_BYTES) == large:
                    self._set(member, tag, entry, block)

    def _place_tiles(self, start: int) -> tuple[bytes, int]:
        """Return the indexes of all pages, smallest first, and the end of the last tile."""
        tiled = [page for page in reversed(self._pages) if page.tile_byte_counts]
        tile = start + sum(self._index_bytes(len(page.tile_byte_counts)) for page in tiled)
        tile += len(self._checksums)
        end = tile + sum(sum(page.tile_byte_counts) for page in tiled)
        block = _Block(start)
        if end > self._form.limit:
            return b"", end
        code = self._form.offset.format[-1]
        for page in tiled:
            counts = page.tile_byte_counts
            *offsets, tile = accumulate(counts, initial=tile)
            packed = struct.pack(f"<{len(counts)}{code}", *offsets)
            self._set(
                page, Tag.TILE_OFFSETS, TiffEntry(self._form.pointer, len(counts), packed), block
            )
            self._set(page, Tag.TILE_BYTE_COUNTS, longs(*counts), block)
        return bytes(block.data), end

    def _index_bytes(self, tiles: int) -> int:
        """Return the bytes of a page's two arrays that do not fit into its fields."""
        arrays = (tiles * self._form.offset.size, tiles * 4)
        return sum(length for length in arrays if length > self._form.offset.size)

    def _set(self, member: NewDirectory, tag: int, entry: TiffEntry, block: _Block) -> None:
        value = entry.data
        if len(value) > self._form.offset.size:
            value = self._form.offset.pack(block.place(value))
        self._fields[id(member)][tag] = self._form.field.pack(tag, entry.type, entry.count, value)

    def _directory(self, member: NewDirectory) -> bytes:
        form, fields = self._form, self._fields[id(member)]
        for tag, child in member.children.items():
            offset = form.offset.pack(self._offsets[id(child)])
            fields[tag] = form.field.pack(tag, form.pointer, 1, offset)
        body = b"".join(fields[tag] for tag in sorted(fields))
        following = form.offset.pack(self._following(member))
        return form.count.pack(len(fields)) + body + following

    def _following(self, member: NewDirectory) -> int:
        """Return the offset of the next page; 0 after the last one, and for a sub-directory."""
        for page, following in pairwise(self._pages):
            if page is member:
                return self._offsets[id(following)]
        return 0
