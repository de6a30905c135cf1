"""Stored tiles as whole JPEGs: at once if everything is at hand, else after a fetch or a crop."""

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.tiles.assembly import Pieces, TileAssembly
from vitrine.deliver.tiles.crop import crop
from vitrine.deliver.tiles.position import TilePosition
from vitrine.store.tiff.reading import ReadRange

CROPPED_BYTES = 16 << 20
"""Memory for edge tiles: every viewer requests those of small levels first."""

_INLINE_BYTES = 256 << 10
"""Longer streams than usual tiles are cropped in a thread, so that other requests do not wait."""

_TileKey = tuple[int, TilePosition]
"""A pyramid's number, and the tile."""
ReadSegments = Callable[[ReadRange, int, str], bytes]
"""(read, bytes of the file, name for the log) -> APPn segments for every tile of a pyramid."""


class CroppedTiles:
    """Edge tiles as whole JPEGs, the least recently used going first.

    `capacity_bytes` bounds their memory.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self._left = capacity_bytes
        # Not a cachetools.LRUCache: its `get` runs in Python, and edge tiles are served by it.
        self._tiles: OrderedDict[_TileKey, bytes] = OrderedDict()

    def get(self, key: _TileKey) -> bytes | None:
        """Return the tile, if it is kept. This counts as a use."""
        tile = self._tiles.get(key)
        if tile is not None:
            self._tiles.move_to_end(key)
        return tile

    def add(self, key: _TileKey, tile: bytes) -> None:
        """Keep a tile, unless it alone exceeds the capacity."""
        self._left += len(self._tiles.pop(key, b""))
        self._tiles[key] = tile
        self._left -= len(tile)
        while self._left < 0:
            _, oldest = self._tiles.popitem(last=False)
            self._left += len(oldest)


@dataclass(frozen=True, slots=True)
class _PreparedPyramid:
    """The parts of the answer that are made once for an opened pyramid."""

    number: int
    levels: tuple[TileAssembly, ...]


class PassThrough:
    """Serves stored tiles undecoded. Belongs to one event loop.

    `read_segments` returns what is embedded in every tile of a pyramid; it is called once for each.
    """

    def __init__(self, read_segments: ReadSegments, *, cropped_bytes: int = CROPPED_BYTES) -> None:
        self._read_segments = read_segments
        self._prepared: WeakKeyDictionary[OpenPyramid, _PreparedPyramid] = WeakKeyDictionary()
        self._numbers = itertools.count()
        self._cropped = CroppedTiles(cropped_bytes)

    def peek(self, pyramid: OpenPyramid, position: TilePosition) -> Pieces | None:
        """Return the JPEG in pieces if that takes neither a fetch nor a crop; None: await `tile`.

        Raises Unavailable where the tile is outside the file.
        """
        prepared = self._prepared.get(pyramid)
        if prepared is None:
            return None
        number, column, row = position
        assembly = prepared.levels[number]
        if _visible_size(assembly.level, column, row):
            cropped = self._cropped.get((prepared.number, position))
            return (cropped,) if cropped else None
        stream = pyramid.peek_tile(number, column, row)
        return assembly.complete(stream) if stream else None

    async def tile(self, pyramid: OpenPyramid, position: TilePosition) -> bytes | None:
        """Return the whole JPEG, or None if the tile has to be rendered.

        Raises Unavailable, and Replaced when the store now holds another object.
        """
        number, column, row = position
        level = pyramid.levels[number]
        if not level.passes_through:
            return None
        prepared = self._prepared.get(pyramid) or await self._prepare_pyramid(pyramid)
        jpeg = prepared.levels[number].assemble(await pyramid.tile(number, column, row))
        visible = _visible_size(level, column, row)
        if jpeg is None or visible is None:
            return jpeg
        if len(jpeg) <= _INLINE_BYTES:
            cropped = crop(jpeg, *visible)
        else:
            cropped = await asyncio.to_thread(crop, jpeg, *visible)
        if cropped:
            self._cropped.add((prepared.number, position), cropped)
        return cropped

    async def _prepare_pyramid(self, pyramid: OpenPyramid) -> _PreparedPyramid:
        file = pyramid.file
        segments = await pyramid.read_metadata(
            lambda read: self._read_segments(read, file.size, file.key), with_tail=False
        )
        levels = tuple(TileAssembly(level, segments) for level in pyramid.levels)
        made = _PreparedPyramid(next(self._numbers), levels)
        return self._prepared.setdefault(pyramid, made)


def _visible_size(level: StoredLevel, column: int, row: int) -> tuple[int, int] | None:
    """Return width and height of the image's part of an edge tile; None for a whole tile."""
    width = level.width - column * level.tile_width
    height = level.height - row * level.tile_height
    if width >= level.tile_width and height >= level.tile_height:
        return None
    return min(width, level.tile_width), min(height, level.tile_height)
