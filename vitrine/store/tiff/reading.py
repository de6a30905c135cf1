"""A reader of TIFF and BigTIFF directories, of both byte orders, through ranged reads.

Every length is checked against the file's size and against a limit before it is read, and values
are read when they are requested: a hostile file costs neither memory nor time, and a reader of
pixels fetches no metadata. Source: TIFF 6.0 section 2; the BigTIFF proposal (libtiff).
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vitrine.store.tiff.entry import MalformedTiff, TiffEntry
from vitrine.store.tiff.tags import ITEM_BYTES, WORD_BYTES, Tag

MAXIMUM_FIELDS = 4_096
"""Most fields of one directory."""

ReadRange = Callable[[int, int], bytes]
"""(offset, length) -> that many bytes, fewer only where the file ends."""


class TooManyPages(MalformedTiff):
    """More pages than the reader's bounds allow; nothing else may be wrong."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of one reader on a file. The defaults suit access masters."""

    pages: int = 128
    value_bytes: int = 64 << 20
    """Most bytes of one field's value."""
    total_bytes: int = 192 << 20
    """Most bytes of all reads: values may point at the same bytes again and again."""


DEFAULT_BOUNDS = Bounds()


@dataclass(frozen=True)
class _ReadForm:
    """Structures that differ between TIFF and BigTIFF, with their byte order."""

    count: struct.Struct
    field: struct.Struct
    offset: struct.Struct

    @classmethod
    def of(cls, order: str, *, big: bool) -> "_ReadForm":
        formats = ("Q", "HHQ8s", "Q") if big else ("H", "HHI4s", "I")
        return cls(*(struct.Struct(order + item) for item in formats))


@dataclass(frozen=True)
class _Field:
    type: int
    count: int
    inline: bytes
    """The value if it is short enough, else its offset."""


class Directory:
    """One image file directory; a value is read when it is requested."""

    def __init__(
        self,
        reader: "TiffReader",
        offset: int,
        fields: Mapping[int, _Field],
        unknown_types: Mapping[int, int],
    ) -> None:
        self._reader = reader
        self._fields = fields
        self.offset = offset
        """Position in the file, bytes."""
        self.unknown_types = unknown_types
        """Types of the fields that cannot be read, by tag."""

    def __contains__(self, tag: int) -> bool:
        return tag in self._fields

    def tags(self) -> tuple[int, ...]:
        """Return its tags, in the file's order."""
        return tuple(self._fields)

    @property
    def big_endian(self) -> bool:
        """The byte order of `raw`."""
        return self._reader.big_endian

    def type(self, tag: int) -> int:
        """Return the field type of a tag. Raises KeyError when it is absent."""
        return self._fields[tag].type

    def count(self, tag: int) -> int:
        """Return the number of a tag's items, 0 when it is absent; reads nothing."""
        return self._fields[tag].count if tag in self._fields else 0

    def length(self, tag: int) -> int:
        """Return the bytes of a tag's value, 0 when it is absent; reads nothing."""
        field = self._fields.get(tag)
        return field.count * ITEM_BYTES[field.type] if field else 0

    def extent(self, tag: int) -> tuple[int, int] | None:
        """Return offset and bytes of a value that is outside the directory, else None.

        Reads nothing, so that it may lie outside the file.
        """
        field = self._fields.get(tag)
        return self._reader.extent(field) if field else None

    def raw(self, tag: int) -> bytes:
        """Read a tag's value in the file's byte order, empty if absent. Raises MalformedTiff."""
        return self._reader.value(tag, self._fields[tag]) if tag in self._fields else b""

    def entry(self, tag: int) -> TiffEntry:
        """Read the field of a tag. Raises MalformedTiff, KeyError when it is absent."""
        field = self._fields[tag]
        data = self.raw(tag)
        if self.big_endian:
            data = swap(data, WORD_BYTES[field.type])
        return TiffEntry(field.type, field.count, data)

    def integer(self, tag: int, default: int | None = None) -> int:
        """Read the one integer of a tag; `default` where it is absent.

        Raises MalformedTiff when it has not exactly one, or is absent without `default`.
        """
        if tag not in self._fields and default is not None:
            return default
        if tag not in self._fields:
            raise MalformedTiff(f"The tag {int(tag)} is missing.")
        if self.count(tag) != 1:
            values = f"{self.count(tag):,} values of type {self.type(tag)}"
            raise MalformedTiff(f"The tag {int(tag)} has {values} instead of one integer.")
        return self.integers(tag)[0]

    def integers(self, tag: int) -> tuple[int, ...]:
        """Read all integers of a tag, none when it is absent. Raises MalformedTiff."""
        return self.entry(tag).integers() if tag in self._fields else ()


class TiffReader:
    """The structure of one TIFF of `size` bytes. Raises MalformedTiff, and what `read` raises."""

    def __init__(self, read: ReadRange, size: int, bounds: Bounds = DEFAULT_BOUNDS) -> None:
        self._read = read
        self._bounds = bounds
        self._left = bounds.total_bytes
        self.size = size
        """Of the file, bytes."""
        head = self._range(0, 8)
        order = {b"II": "<", b"MM": ">"}.get(head[:2])
        if order is None:
            raise MalformedTiff("It is no TIFF: it does not start with II or MM.")
        [magic] = struct.unpack(order + "H", head[2:4])
        if magic not in (42, 43):
            raise MalformedTiff(f"Its magic number is {magic}, not 42 or 43.")
        self.big_endian = order == ">"
        self.big = magic == 43
        """Whether it is BigTIFF."""
        self._form = _ReadForm.of(order, big=self.big)
        first = self._range(8, 8) if self.big else head[4:]
        [self._first] = self._form.offset.unpack(first)

    def pages(self) -> list[Directory]:
        """Read the directories of the main chain, first to last, at least one."""
        pages: list[Directory] = []
        offset, seen = self._first, set[int]()
        while offset:
            if offset in seen:
                raise MalformedTiff("Its chain of directories is a loop.")
            if len(pages) == self._bounds.pages:
                raise TooManyPages(f"It has more than {self._bounds.pages:,} pages.")
            seen.add(offset)
            page, offset = self._directory(offset)
            pages.append(page)
        if not pages:
            raise MalformedTiff("It has no directory.")
        return pages

    def first_page(self) -> Directory:
        """Read the first directory of the main chain, and no other."""
        if not self._first:
            raise MalformedTiff("It has no directory.")
        return self.directory(self._first)

    def sub_images(self, page: Directory) -> list[Directory]:
        """Read the directories that a page's SubIFDs tag points at, if it has one."""
        if page.count(Tag.SUB_IFDS) > self._bounds.pages:
            raise TooManyPages(f"A page has more than {self._bounds.pages:,} sub-images.")
        return [self.directory(offset) for offset in page.integers(Tag.SUB_IFDS)]

    def directory(self, offset: int) -> Directory:
        """Read the directory at `offset`, whatever it describes."""
        return self._directory(offset)[0]

    def value(self, tag: int, field: _Field) -> bytes:
        """Read a field's value in the file's byte order; `tag` is for the message."""
        length = field.count * ITEM_BYTES[field.type]
        if length > self._bounds.value_bytes:
            raise MalformedTiff(f"The tag {int(tag)} claims {length:,} bytes.")
        extent = self.extent(field)
        return self._range(*extent) if extent else field.inline[:length]

    def extent(self, field: _Field) -> tuple[int, int] | None:
        """Return offset and bytes of a value that is too long for its field, else None."""
        length = field.count * ITEM_BYTES[field.type]
        if length <= len(field.inline):
            return None
        return self._form.offset.unpack(field.inline)[0], length

    def _directory(self, offset: int) -> tuple[Directory, int]:
        """Read a directory, and the offset of the next one, 0 after the last."""
        form = self._form
        [count] = form.count.unpack(self._range(offset, form.count.size))
        if not 0 < count <= MAXIMUM_FIELDS:
            raise MalformedTiff(f"A directory claims {count:,} fields.")
        end = count * form.field.size
        # Some writers of EXIF leave out the offset behind the last directory of a block.
        closing = min(form.offset.size, max(self.size - offset - form.count.size - end, 0))
        block = self._range(offset + form.count.size, end + closing)
        fields: dict[int, _Field] = {}
        unknown: dict[int, int] = {}
        for tag, field_type, items, inline in form.field.iter_unpack(block[:end]):
            if field_type in ITEM_BYTES:
                fields.setdefault(tag, _Field(field_type, items, inline))
            else:
                unknown.setdefault(tag, field_type)
        following = form.offset.unpack(block[end:])[0] if closing == form.offset.size else 0
        return Directory(self, offset, fields, unknown), following

    def _range(self, offset: int, length: int) -> bytes:
        if offset + length > self.size:
            raise MalformedTiff(
                f"It ends after {self.size:,} bytes, {100 * self.size // (offset + length)}% of "
                f"the {offset + length:,} that it says it has."
            )
        self._left -= length
        if self._left < 0:
            raise MalformedTiff("Its directories and values are larger than any image's.")
        data = self._read(offset, length)
        if len(data) != length:
            raise MalformedTiff(f"The {length:,} bytes from {offset:,} on cannot be read.")
        return data


def swap(data: bytes, word: int) -> bytes:
    """Reverse each `word` bytes."""
    if word == 1:
        return data
    swapped = bytearray(len(data))
    for index in range(word):
        swapped[index::word] = data[word - 1 - index :: word]
    return bytes(swapped)
