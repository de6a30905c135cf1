"""Assembly of a stored tile into a complete JPEG, without touching its pixels.

A TIFF keeps tiles as abbreviated streams, and the tables that they share separately (TIFF Technical
Note 2). A complete JPEG needs the tables in front, and a marker that says which colours these are:
every decoder believes JFIF's APP0 (YCbCr, gray) and Adobe's APP14 (RGB); without them decoders
guess differently.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.deliver.pyramids.level import GRAY, RGB, YCBCR, StoredLevel
from vitrine.deliver.tiles.stream import HUFFMAN, StreamHeader, read_header

Pieces = tuple[bytes | memoryview, ...]
"""A JPEG, in order."""

_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_APP1, _APP2 = 0xE1, 0xE2
_ICC = b"ICC_PROFILE\0"
JFIF = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
"""APP0: version 1.1, no density, no thumbnail."""
ADOBE_RGB = b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
"""APP14: version 100, no transform."""

_ADOBE_NONE, _ADOBE_YCBCR = 0, 1
_TABLES = frozenset({0xDB, 0xC4, 0xDD})
"""Quantisation, Huffman, restart interval."""
_SEGMENT_HEAD = 4


@dataclass(slots=True)
class TileAssembly:
    """Completes the tiles of one level; `segments` are the APPn segments for every tile."""

    level: StoredLevel
    segments: bytes
    _lead: bytes = b"\0"
    """Header of the previous tile: those of a level are usually all the same."""
    _prefix: bytes | None = None
    """The bytes to put before tiles with this header; None if they are not JPEGs of this level."""

    def assemble(self, stream: bytes) -> bytes | None:
        """Return the complete JPEG of a stored tile, from SOI to EOI.

        None if it cannot be passed through: it is damaged, or not what the level says.
        """
        pieces = self.complete(stream)
        return b"".join(pieces) if pieces else None

    def complete(self, stream: bytes) -> Pieces | None:
        """Return the complete JPEG in pieces, without a copy of the stream; None as above."""
        if not stream.startswith(self._lead):
            self._learn_prefix(stream)
        if self._prefix is None or not stream.endswith(_EOI):
            return None
        return self._prefix, memoryview(stream)[len(_SOI) :]

    def _learn_prefix(self, stream: bytes) -> None:
        header = read_header(stream)
        self._lead = stream[: header.length] if header else b"\0"
        self._prefix = self._make_prefix(header) if header else None

    def _make_prefix(self, header: StreamHeader) -> bytes | None:
        level = self.level
        if not level.passes_through or not _fits_level(header, level):
            return None
        colour = _colour_segments(header, level.photometric)
        tables = level.tables.removeprefix(_SOI).removesuffix(_EOI)
        if colour is None or not _are_tables(tables):
            return None
        first, later = colour
        segments = _remove_profile(self.segments) if level.photometric == GRAY else self.segments
        return b"".join((_SOI, first, segments, later, tables))


def _fits_level(header: StreamHeader, level: StoredLevel) -> bool:
    return (
        (header.width, header.height) == (level.tile_width, level.tile_height)
        and (header.bits, header.components) == (level.bits, level.samples)
        and header.frame in HUFFMAN
    )


def _colour_segments(header: StreamHeader, photometric: int) -> tuple[bytes, bytes] | None:
    """Return the segments before and after the metadata; None if stream and level contradict."""
    if photometric == RGB:
        if header.jfif or header.adobe not in (None, _ADOBE_NONE):
            return None
        return b"", ADOBE_RGB if header.adobe is None else b""
    if photometric == YCBCR and header.adobe not in (None, _ADOBE_YCBCR):
        return None
    return b"" if header.jfif or header.adobe is not None else JFIF, b""


def _are_tables(tables: bytes) -> bool:
    """Return True if all segments are tables, which cannot change the meaning of the header."""
    return all(segment[1] in _TABLES for segment in _list_segments(tables))


def _remove_profile(segments: bytes) -> bytes:
    """Remove the profile: one of RGB pixels does not fit gray ones."""
    return b"".join(s for s in _list_segments(segments) if not s.startswith(_ICC, _SEGMENT_HEAD))


def _list_segments(data: bytes) -> Iterator[bytes]:
    """Yield markers with their segments; the last may be cut off."""
    at = 0
    while at < len(data):
        end = at + 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
        yield data[at:end] + bytes(max(0, at + 2 - len(data)))
        at = end
