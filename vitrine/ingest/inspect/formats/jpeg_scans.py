"""A JPEG's scans, from marker to marker to the end: damage that a decoder skips is found, too.

Pixels are not decoded here. Source: ITU-T T.81, B.1.1 and B.2.
"""

import re

from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.ingest.rejections import damaged_file
from vitrine.store.ranged import read_exactly

_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""A marker that is not a stuffed zero, a restart or a fill byte."""
_END = 0xD9
_SEGMENTS = frozenset({0xC4, 0xCC, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE, *range(0xE0, 0xF0)})
"""Markers that may follow a scan: tables, further scans, comments."""
_BLOCK_BYTES = 1 << 20


def check_scans(file: MasterBytes, position: int) -> None:
    """Walk from the first scan's marker to the end marker; bytes after that do not matter.

    Raises MasterRejected with code damaged-file.
    """
    while True:
        position = _next_marker(file, position)
        head = read_exactly(file, position, 4)
        if head[1] == _END:
            return
        if head[1] not in _SEGMENTS:
            raise damaged_file(f"the JPEG's pixels are interrupted at byte {position:,}")
        position += 2 + int.from_bytes(head[2:])


def _next_marker(file: MasterBytes, position: int) -> int:
    while block := read_exactly(file, position, _BLOCK_BYTES):
        match = _MARKER.search(block)
        if match:
            return position + match.start()
        # A marker may lie across two blocks.
        position += max(len(block) - 1, 1)
    raise damaged_file("the JPEG has no end marker")
