"""A JPEG's scans, from marker to marker to the end: damage that a decoder skips is found as well.

Pixels are not decoded here, and each byte is read once. A decoder goes through all coefficients
with each scan, however few bytes that has, so their number is limited before it begins.
Source: ITU-T T.81, B.1.1 and B.2.
"""

import re

from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.ingest.rejections import damaged_file, too_expensive_to_read, too_many_scans
from vitrine.store.ranged import read_exactly

MAX_SCANS = 200
"""Encoders write up to 10; those that search for the smallest file, some 30."""
MAX_SCANNED_PIXELS = 20_000_000_000
"""Scans x pixels, of a JPEG with more than the ordinary number of scans."""
ORDINARY_SCANS = 20
MAX_SEGMENTS = 100_000
"""After the first scan: comments and tables between the others."""
_SCANNED_PIXELS_PER_SECOND = 400_000_000
"""Half of what one core did: 500 scans of 16 megapixels took 10.3 s."""
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""A marker that is not a stuffed zero, a restart or a fill byte."""
_END, _SCAN = 0xD9, 0xDA
_SEGMENTS = frozenset({0xC4, 0xCC, 0xDA, 0xDB, 0xDC, 0xDD, 0xFE, *range(0xE0, 0xF0)})
"""Markers that may follow a scan: tables, further scans, comments."""
_BLOCK_BYTES = 60_000
"""From the heap; larger blocks would be mapped and cleared each time (`vips.prepare_libvips`)."""


def check_scans(file: MasterBytes, position: int, pixels: int) -> None:
    """Walk from the first scan's marker to the end marker; bytes after that do not matter.

    `pixels` are those of the picture. Raises MasterRejected with the codes damaged-file,
    too-many-scans and too-expensive-to-read.
    """
    markers = _MarkerReader(file)
    scans, most_scans = 0, _most_scans(pixels)
    for _ in range(MAX_SEGMENTS):
        position, marker, length = markers.next_marker(position)
        if marker == _END:
            return
        if marker not in _SEGMENTS:
            raise damaged_file(f"the JPEG's pixels are interrupted at byte {position:,}")
        if marker == _SCAN:
            scans += 1
            if scans > most_scans:
                raise too_many_scans(most_scans)
        position += 2 + length
    raise too_expensive_to_read(f"more than {MAX_SEGMENTS:,} segments between its pixels")


def longest_seconds(pixels: int) -> float:
    """Return how long the scans take at most that `check_scans` accepts for a number of pixels."""
    return _most_scans(pixels) * pixels / _SCANNED_PIXELS_PER_SECOND


def _most_scans(pixels: int) -> int:
    return min(MAX_SCANS, max(MAX_SCANNED_PIXELS // pixels, ORDINARY_SCANS))


class _MarkerReader:
    """Finds markers at ever higher positions; keeps the block in which it found the last one."""

    def __init__(self, file: MasterBytes) -> None:
        self._file = file
        self._block, self._start = b"", 0

    def next_marker(self, position: int) -> tuple[int, int, int]:
        """Return position and number of the next marker, and the length that follows it.

        Raises MasterRejected, damaged-file, where the file ends.
        """
        while True:
            if not self._start <= position < self._start + len(self._block) - 3:
                self._block = read_exactly(self._file, position, _BLOCK_BYTES)
                self._start = position
            match = _MARKER.search(self._block, position - self._start)
            if match is None:
                if len(self._block) < _BLOCK_BYTES:
                    raise damaged_file("the JPEG has no end marker")
                # A marker may lie across two blocks.
                position = self._start + len(self._block) - 1
                continue
            found = match.start()
            head = self._block[found : found + 4]
            if len(head) == 4 or len(self._block) < _BLOCK_BYTES:
                return self._start + found, head[1], int.from_bytes(head[2:])
            position = self._start + found
