"""Stored tiles as whole JPEGs: at once where all is at hand, else after a fetch or a crop."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.reading import run_over_blocks
from vitrine.deliver.tiles.assembly import TileAssembly
from vitrine.deliver.tiles.crop import crop
from vitrine.deliver.tiles.cropped import CroppedTiles
from vitrine.deliver.tiles.position import TilePosition
from vitrine.store.tiff.reading import ReadRange

CROPPED_BYTES = 16 << 20
"""Memory for edge tiles: those of small levels are what every viewer asks for first."""

_INLINE_BYTES = 256 << 10
"""Streams longer than a usual tile's are cropped in a thread, lest others wait."""

ReadSegments = Callable[[ReadRange, int, str], bytes]
"""(read, bytes of the file, name for the log) -> APPn segments for every tile of a pyramid."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """What is made once for an opened pyramid."""

    number: int
    levels: tuple[TileAssembly, ...]


class PassThrough:
    """Gives out stored tiles undecoded. Belongs to one event loop.

    `read_segments` gives what is embedded in every tile of a pyramid; it is asked once for each.
    """

    def __init__(self, read_segments: ReadSegments, *, cropped_bytes: int = CROPPED_BYTES) -> None:
        self._read_segments = read_segments
        self._ready: WeakKeyDictionary[OpenPyramid, _Ready] = WeakKeyDictionary()
        self._numbers = itertools.count()
        self._cropped = CroppedTiles(cropped_bytes)

    def peek(self, pyramid: OpenPyramid, position: TilePosition) -> bytes | None:
        """The whole JPEG, if that takes neither a fetch nor a crop; else None: await `tile`.

        Raises Unavailable where the tile lies outside the file.
        """
        ready = self._ready.get(pyramid)
        if ready is None:
            return None
        number, column, row = position
        assembly = ready.levels[number]
        if _cut(assembly.level, column, row):
            return self._cropped.get((ready.number, position))
        stream = pyramid.peek_tile(number, column, row)
        return assembly.assemble(stream) if stream else None

    async def tile(self, pyramid: OpenPyramid, position: TilePosition) -> bytes | None:
        """The whole JPEG; None where the tile cannot be given out as it is, but rendered.

        Raises Unavailable, and Replaced when the store holds another object by now.
        """
        number, column, row = position
        level = pyramid.levels[number]
        if not level.passes_through:
            return None
        ready = self._ready.get(pyramid) or await self._prepare(pyramid)
        jpeg = ready.levels[number].assemble(await pyramid.tile(number, column, row))
        cut = _cut(level, column, row)
        if jpeg is None or cut is None:
            return jpeg
        if len(jpeg) <= _INLINE_BYTES:
            cropped = crop(jpeg, *cut)
        else:
            cropped = await asyncio.to_thread(crop, jpeg, *cut)
        if cropped:
            self._cropped.add((ready.number, position), cropped)
        return cropped

    async def _prepare(self, pyramid: OpenPyramid) -> _Ready:
        file = pyramid.file
        segments = await run_over_blocks(
            file, lambda read: self._read_segments(read, file.size, file.key)
        )
        levels = tuple(TileAssembly(level, segments) for level in pyramid.levels)
        return self._ready.setdefault(pyramid, _Ready(next(self._numbers), levels))


def _cut(level: StoredLevel, column: int, row: int) -> tuple[int, int] | None:
    """Width and height of a tile of which the image covers but a part; None for a whole one."""
    width = level.width - column * level.tile_width
    height = level.height - row * level.tile_height
    if width >= level.tile_width and height >= level.tile_height:
        return None
    return min(width, level.tile_width), min(height, level.tile_height)
