"""Reads directories of TIFF and BigTIFF, of both byte orders, through ranged reads.

Every length is checked against the file's size and against a limit before it is read, and values
are read when they are asked for: a hostile file costs neither memory nor time, and a reader of
pixels fetches no metadata. Source: TIFF 6.0 section 2; the BigTIFF proposal (libtiff).
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vitrine.store.tiff.entry import Entry, MalformedTiff
from vitrine.store.tiff.tags import ITEM_BYTES, WORD_BYTES

MAXIMUM_PAGES = 128
MAXIMUM_FIELDS = 1_024
"""Fields of one directory."""
MAXIMUM_VALUE_BYTES = 64 << 20
MAXIMUM_TOTAL_BYTES = 192 << 20
"""All that one reader reads: values may point at the same bytes again and again."""

ReadRange = Callable[[int, int], bytes]
"""(offset, length) -> that many bytes, fewer only where the file ends."""


@dataclass(frozen=True)
class _Form:
    """What differs between TIFF and BigTIFF, with the byte order in front."""

    count: struct.Struct
    field: struct.Struct
    offset: struct.Struct

    @classmethod
    def of(cls, order: str, *, big: bool) -> "_Form":
        formats = ("Q", "HHQ8s", "Q") if big else ("H", "HHI4s", "I")
        return cls(*(struct.Struct(order + item) for item in formats))


@dataclass(frozen=True)
class _Field:
    type: int
    count: int
    place: bytes
    """The value if it is short enough, else its offset."""


class Directory:
    """One image file directory; a value is read when it is asked for."""

    def __init__(self, reader: "TiffReader", offset: int, fields: Mapping[int, _Field]) -> None:
        self._reader = reader
        self._fields = fields
        self.offset = offset
        """Where it lies in the file, bytes."""

    def __contains__(self, tag: int) -> bool:
        return tag in self._fields

    def tags(self) -> tuple[int, ...]:
        """The tags it holds, in the file's order."""
        return tuple(self._fields)

    def length(self, tag: int) -> int:
        """Bytes of a tag's value, 0 when it is absent; reads nothing."""
        field = self._fields.get(tag)
        return field.count * ITEM_BYTES[field.type] if field else 0

    def entry(self, tag: int) -> Entry:
        """The field of a tag that it holds. Raises MalformedTiff, KeyError when it is absent."""
        return self._reader.entry(tag, self._fields[tag])

    def integer(self, tag: int, default: int | None = None) -> int:
        """First integer of a tag. Raises MalformedTiff when it is absent without `default`."""
        values = self.integers(tag)
        if values:
            return values[0]
        if default is None:
            raise MalformedTiff(f"The tag {int(tag)} is missing.")
        return default

    def integers(self, tag: int) -> tuple[int, ...]:
        """All integers of a tag, none when it is absent. Raises MalformedTiff."""
        return self.entry(tag).integers() if tag in self._fields else ()


class TiffReader:
    """The structure of one TIFF of `size` bytes. Raises MalformedTiff, and what `read` raises."""

    def __init__(self, read: ReadRange, size: int) -> None:
        self._read = read
        self._size = size
        self._left = MAXIMUM_TOTAL_BYTES
        head = self._range(0, 8)
        order = {b"II": "<", b"MM": ">"}.get(head[:2])
        if order is None:
            raise MalformedTiff("It does not start with II or MM.")
        [magic] = struct.unpack(order + "H", head[2:4])
        if magic not in (42, 43):
            raise MalformedTiff(f"Its magic number is {magic}, not 42 or 43.")
        self.big_endian = order == ">"
        self.big = magic == 43
        """Whether it is BigTIFF."""
        self._form = _Form.of(order, big=self.big)
        first = self._range(8, 8) if self.big else head[4:]
        [self._first] = self._form.offset.unpack(first)

    def pages(self) -> list[Directory]:
        """Directories of the main chain, first to last, at least one."""
        pages: list[Directory] = []
        offset, seen = self._first, set[int]()
        while offset:
            if offset in seen:
                raise MalformedTiff("Its chain of directories is a loop.")
            if len(pages) == MAXIMUM_PAGES:
                raise MalformedTiff(f"It has more than {MAXIMUM_PAGES} pages.")
            seen.add(offset)
            page, offset = self._directory(offset)
            pages.append(page)
        if not pages:
            raise MalformedTiff("It has no directory.")
        return pages

    def directory(self, offset: int) -> Directory:
        """The directory at `offset`, of whatever kind."""
        return self._directory(offset)[0]

    def entry(self, tag: int, field: _Field) -> Entry:
        """The value of a field; `tag` is for the message."""
        length = field.count * ITEM_BYTES[field.type]
        if length > MAXIMUM_VALUE_BYTES:
            raise MalformedTiff(f"The tag {tag} claims {length:,} bytes.")
        data = field.place[:length]
        if length > len(field.place):
            data = self._range(self._form.offset.unpack(field.place)[0], length)
        if self.big_endian:
            data = swap(data, WORD_BYTES[field.type])
        return Entry(field.type, field.count, data)

    def _directory(self, offset: int) -> tuple[Directory, int]:
        """With the offset of the one that follows, 0 for none."""
        form = self._form
        [count] = form.count.unpack(self._range(offset, form.count.size))
        if not 0 < count <= MAXIMUM_FIELDS:
            raise MalformedTiff(f"A directory claims {count:,} fields.")
        end = count * form.field.size
        block = self._range(offset + form.count.size, end + form.offset.size)
        fields: dict[int, _Field] = {}
        for tag, kind, items, place in form.field.iter_unpack(block[:end]):
            if kind in ITEM_BYTES:
                fields.setdefault(tag, _Field(kind, items, place))
        return Directory(self, offset, fields), form.offset.unpack(block[end:])[0]

    def _range(self, offset: int, length: int) -> bytes:
        if offset + length > self._size:
            raise MalformedTiff(
                f"It ends after {self._size:,} bytes, "
                f"but {length:,} bytes from {offset:,} on belong to it."
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
