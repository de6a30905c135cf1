"""The boxes in which JP2, JPX and JPH files keep a codestream and its description.

Source: ISO/IEC 15444-1, annex I.4 (what a box is) and I.5 (which there are).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_SUPERBOXES = frozenset({b"res "})
_TO_THE_END, _LONG_LENGTH = 0, 1
_MAX_BOXES = 10_000
_Content = tuple[bytes, bytes]
_MAX_BOX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Jp2Box:
    """A box's name, and where in the file its contents are, bytes."""

    name: bytes
    start: int
    length: int


def find_boxes(file: MasterBytes) -> list[Jp2Box]:
    """Return the boxes of the file, not those within them. Raises MasterRejected."""
    boxes: list[Jp2Box] = []
    position = 0
    while file.size - position >= 8:
        if len(boxes) == _MAX_BOXES:
            raise rejections.unreadable_file(f"the file has more than {_MAX_BOXES:,} boxes")
        head_bytes, length, name = _parse_head(
            read_exactly(file, position, 16), file.size - position
        )
        if length < head_bytes:
            raise rejections.damaged_file(f"the box at byte {position:,} has an impossible length")
        if length > file.size - position:
            raise rejections.cut_off_file(file.size, position + length)
        boxes.append(Jp2Box(name, position + head_bytes, length - head_bytes))
        position += length
    return boxes


def contents(file: MasterBytes, box: Jp2Box) -> bytes:
    """Read the contents of `box`. Raises MasterRejected if they are implausibly long."""
    if box.length > _MAX_BOX_BYTES:
        raise rejections.unreadable_file(
            f"the box {_printable_name(box.name)} has {box.length:,} bytes"
        )
    return read_exactly(file, box.start, box.length)


def inner_boxes(data: bytes, superboxes: frozenset[bytes] = _SUPERBOXES) -> Iterator[_Content]:
    """Yield names and contents of the boxes within a box, in order. Raises MasterRejected.

    Those within a superbox come in its place; superboxes do not contain each other.
    """
    position = 0
    for _ in range(_MAX_BOXES):
        if len(data) - position < 8:
            return
        left = len(data) - position
        head_bytes, length, name = _parse_head(data[position : position + 16], left)
        if not head_bytes <= length <= left:
            raise rejections.damaged_file(
                f"the box {_printable_name(name)} does not fit into its own"
            )
        content = data[position + head_bytes : position + length]
        if name in superboxes:
            yield from inner_boxes(content, frozenset())
        else:
            yield name, content
        position += length


def _parse_head(head: bytes, left: int) -> tuple[int, int, bytes]:
    """Return the bytes of a box's header, the bytes of the whole box, and its name."""
    length, name = struct.unpack_from(">I4s", head)
    if length == _TO_THE_END:
        return 8, left, name
    if length == _LONG_LENGTH:
        return 16, int.from_bytes(head[8:16]) if len(head) == 16 else 0, name
    return 8, length, name


def _printable_name(name: bytes) -> str:
    return name.decode("ascii", "backslashreplace").strip()
