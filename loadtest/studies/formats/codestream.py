"""Codestreams of JPEG 2000: put into a file, and taken apart by tiles (ITU-T T.800 | ISO 15444-1).

A tile of a codestream can be decoded alone, once it has a main header of its own: OpenJPH decodes
whole codestreams only. Tiles begin at multiples of a power of two here, so that their wavelets
and code-blocks lie as in the whole.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from vitrine.errors import VitrineError

_SOC, _SIZ, _COD, _SOT, _EOC = b"\xff\x4f", 0xFF51, 0xFF52, 0xFF90, b"\xff\xd9"
_DECOMPOSITIONS = 7
"""Place in COD, its length included (T.800, A.6.1)."""
# Lists of all tiles' lengths, wrong for one tile alone (T.800, A.7.1 and A.7.2).
_TLM, _PLM = 0xFF55, 0xFF57
_SIZ_FIELDS = struct.Struct(">HH8I")
"""Length, capabilities, then width, height, offsets, tile's width and height, tile's offsets."""
_SOT_FIELDS = struct.Struct(">HHIBB")
_SRGB = 16


@dataclass(frozen=True, kw_only=True)
class TileIndex:
    """Positions of a file's tiles, in bytes from its start."""

    width: int
    height: int
    tile: int
    """Side in pixels."""
    header: tuple[tuple[int, bytes], ...]
    """Segments of the main header but for SIZ and the lists: marker, and what follows it."""
    capabilities: int
    components: bytes
    """The rest of SIZ."""
    parts: dict[int, list[tuple[int, int]]]
    """Place and length of each tile's parts."""

    @property
    def levels(self) -> int:
        """Full resolution and its halvings."""
        return 1 + next(body[_DECOMPOSITIONS] for marker, body in self.header if marker == _COD)

    @property
    def columns(self) -> int:
        """Tiles in a row."""
        return -(-self.width // self.tile)

    def main_header(self, width: int, height: int) -> bytes:
        """Return the main header of a codestream of one tile of this size."""
        length = _SIZ_FIELDS.size + len(self.components)
        size = _SIZ_FIELDS.pack(
            length, self.capabilities, width, height, 0, 0, self.tile, self.tile, 0, 0
        )
        segments = [struct.pack(">H", _SIZ) + size + self.components]
        segments += [struct.pack(">H", marker) + body for marker, body in self.header]
        return _SOC + b"".join(segments)


def wrap_codestream(codestream: bytes, width: int, height: int) -> bytes:
    """Wrap the codestream of an sRGB image in a JPH file (T.814 | ISO 15444-15, annex D)."""
    image = _pack_box(b"ihdr", struct.pack(">IIHBBBB", height, width, 3, 7, 7, 0, 0))
    colour = _pack_box(b"colr", b"\x01\x00\x00" + struct.pack(">I", _SRGB))
    return b"".join(
        (
            _pack_box(b"jP  ", b"\r\n\x87\n"),
            _pack_box(b"ftyp", b"jph \x00\x00\x00\x00jph "),
            _pack_box(b"jp2h", image + colour),
            _pack_box(b"jp2c", codestream),
        )
    )


def read_index(data: bytes) -> TileIndex:
    """Read the index of a whole file. Raises VitrineError for a codestream unlike ours."""
    place = _codestream_at(data) + len(_SOC)
    header: list[tuple[int, bytes]] = []
    size = b""
    while True:
        marker, length = struct.unpack_from(">HH", data, place)
        if marker == _SOT:
            break
        body = data[place + 2 : place + 2 + length]
        if marker == _SIZ:
            size = body
        elif marker not in (_TLM, _PLM):
            header.append((marker, body))
        place += 2 + length
    if not size:
        raise VitrineError("the codestream names no size")
    _, capabilities, width, height, left, top, across, down, *_ = _SIZ_FIELDS.unpack_from(size)
    if (left, top) != (0, 0) or across != down or across & (across - 1):
        raise VitrineError("the codestream's tiles do not begin at multiples of a power of two")
    return TileIndex(
        width=width,
        height=height,
        tile=across,
        header=tuple(header),
        capabilities=capabilities,
        components=size[_SIZ_FIELDS.size :],
        parts=_tile_parts(data, place),
    )


def tile_alone(data: bytes, index: TileIndex, column: int, row: int) -> bytes:
    """Return a codestream of this tile only."""
    tile = row * index.columns + column
    width = min(index.tile, index.width - column * index.tile)
    height = min(index.tile, index.height - row * index.tile)
    parts = [index.main_header(width, height)]
    for place, length in index.parts[tile]:
        size, _, _, part, count = _SOT_FIELDS.unpack_from(data, place + 2)
        parts.append(struct.pack(">H", _SOT) + _SOT_FIELDS.pack(size, 0, length, part, count))
        parts.append(data[place + 2 + _SOT_FIELDS.size : place + length])
    return b"".join([*parts, _EOC])


def _tile_parts(data: bytes, place: int) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    while struct.unpack_from(">H", data, place)[0] == _SOT:
        _, tile, length, _, _ = _SOT_FIELDS.unpack_from(data, place + 2)
        if not length:
            raise VitrineError("a tile-part does not state its length")
        found.setdefault(tile, []).append((place, length))
        place += length
    return found


def _codestream_at(data: bytes) -> int:
    if data.startswith(_SOC):
        return 0
    for kind, place in _list_boxes(data):
        if kind == b"jp2c":
            return place
    raise VitrineError("the file holds no codestream")


def _list_boxes(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Kind of each box, and where its content begins (T.800, I.4)."""
    place = 0
    while place + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        head = 8
        if length == 1:
            length, head = struct.unpack_from(">Q", data, place + 8)[0], 16
        yield kind, place + head
        if length == 0:
            return
        place += length


def _pack_box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content
