"""JPEGs with zeros before their restart markers: some encoders write them, libjpeg warns of them.

Such zeros may also end coded pixels, or be what damage left. Each interval that ends with zeros is
decoded by itself, with and without them. Source: ITU-T T.81, B.1.1.5 (padding is of 1-bits) and
E.1.4 (intervals are coded apart from each other).
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pyvips

from vitrine.ingest.inspect.formats.jpeg_format import JpegSegment, read_segments
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed, WithoutRanges
from vitrine.ingest.inspect.vips import load
from vitrine.store.ranged import read_exactly

_SEQUENTIAL = frozenset({0xC0, 0xC1})
_DQT, _DHT, _DRI = 0xDB, 0xC4, 0xDD
_RESTART_OR_END = re.compile(rb"\xff[\xd0-\xd7\xd9]")
_END = b"\xff\xd9"
_BLOCK_BYTES, _MAX_ZEROS = 60_000, 4
_MAX_INTERVALS = 1_000
"""Intervals that end with zeros; files with more are decoded as they are."""
_MAX_INTERVAL_BYTES = 8 << 20
_MAX_SIDE = 65_500
"""Width of the picture as which an interval is decoded: a row of coding units."""
_BLOCK = 8


@dataclass(frozen=True)
class _Interval:
    start: int
    end: int
    zeros: int
    """Bytes before `end` that may be padding."""


def drop_restart_padding(file: MasterBytes, view: MasterBytes) -> MasterBytes:
    """Return the view of a JPEG without zeros that belong to no pixel; itself if it has none.

    JPEGs of several scans stay as they are. Raises MasterRejected.
    """
    assert isinstance(view, Prefixed)
    segments, scan = read_segments(file)
    scan_header = read_exactly(file, scan, 2 + int.from_bytes(read_exactly(file, scan + 2, 2)))
    head = _interval_head(segments, scan_header)
    if not head:
        return view
    padded = []
    for number, interval in enumerate(_list_intervals(file, scan + len(scan_header))):
        if number == _MAX_INTERVALS:
            return view
        coded = read_exactly(file, interval.start, interval.end - interval.start)
        padding = _count_padding(coded, interval.zeros, head)
        if padding:
            padded.append((interval.end - padding, padding))
    return Prefixed(view.head, WithoutRanges(file, padded), view.start) if padded else view


def _interval_head(segments: list[JpegSegment], scan_header: bytes) -> bytes:
    """Return what makes two intervals a JPEG of their own, b"" if they cannot be decoded so."""
    frame = next((s for s in segments if s.marker in _SEQUENTIAL), None)
    stated = {s.marker: s.payload for s in segments}.get(_DRI, b"")
    interval = int.from_bytes(stated[:2])
    if frame is None or not interval or scan_header[4:5] != frame.payload[5:6]:
        return b""
    factors = [frame.payload[at] for at in range(7, len(frame.payload), 3)]
    # A coding unit of a single component is one block.
    across = max(factor >> 4 for factor in factors) if len(factors) > 1 else 1
    down = max(factor & 15 for factor in factors) if len(factors) > 1 else 1
    width, height = interval * across * _BLOCK, 2 * down * _BLOCK
    if width > _MAX_SIDE:
        return b""
    size = struct.pack(">HH", height, width)
    changed = JpegSegment(frame.marker, frame.payload[:1] + size + frame.payload[5:])
    kept = [s for s in segments if s.marker in (_DQT, _DHT, _DRI)]
    return b"\xff\xd8" + b"".join(s.as_bytes() for s in (*kept, changed)) + scan_header


def _list_intervals(file: MasterBytes, position: int) -> Iterator[_Interval]:
    """Yield the intervals before the first end marker whose coded pixels end with zeros."""
    start, kept = position, b""
    while block := file.read_at(position, _BLOCK_BYTES):
        data, offset = kept + block, position - len(kept)
        for match in _RESTART_OR_END.finditer(data):
            if match[0] == _END:
                return
            before = data[max(match.start() - _MAX_ZEROS, 0) : match.start()]
            zeros = len(before) - len(before.rstrip(b"\0"))
            # A zero behind 255 is stuffed, and belongs to it.
            zeros -= before[: len(before) - zeros].endswith(b"\xff")
            if zeros > 0 and offset + match.start() - start <= _MAX_INTERVAL_BYTES:
                yield _Interval(start, offset + match.start(), zeros)
            start = offset + match.end()
        position += len(block)
        kept = data[-_MAX_ZEROS - 1 :]


def _count_padding(coded: bytes, zeros: int, head: bytes) -> int:
    """Return how many of the last zeros no pixel needs: libjpeg warns if coded pixels end early."""
    for padding in range(zeros, 0, -1):
        part = coded[: len(coded) - padding]
        if _is_sound(head + part + b"\xff\xd0" + part + _END):
            return padding
    return 0


def _is_sound(jpeg: bytes) -> bool:
    try:
        load(pyvips.Source.new_from_memory(jpeg), "jpeg", fail_on="warning").avg()
    except pyvips.Error:
        return False
    return True
