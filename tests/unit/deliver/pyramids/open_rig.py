"""Pyramids of several writers in a store that counts, opened over a real block cache."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec

import numpy as np
import pyvips
import tifffile

from tests.unit.deliver.deliver_records import live
from tests.unit.ingest.made_pyramids import image_of, picture, write_file
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.blocks.cache import BlockCache
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.pyramids import Pyramids
from vitrine.ports import ObjectPart
from vitrine.records import Live
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import TiffReader

WIDTH, HEIGHT = 700, 523
TILED = {"tile": True, "tile_width": 256, "tile_height": 256, "pyramid": True}
LIBVIPS: Mapping[str, dict[str, Any]] = {
    "libvips-ycbcr-420": {"Q": 80},
    "libvips-rgb": {"Q": 92},
    "libvips-rgb-subifd": {"Q": 92, "subifd": True},
    "libvips-rgb-bigtiff": {"Q": 92, "bigtiff": True},
}
OTHERS = ("libvips-gray", "tifffile-rgb", "tifffile-big-endian")
WRITERS = ("ours", *LIBVIPS, *OTHERS)


P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in an event loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@cache
def made(writer: str) -> bytes:
    """A pyramid of `WIDTH` by `HEIGHT` pixels as this writer writes it."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.tif"
        image = image_of(picture(WIDTH, HEIGHT))
        if writer == "ours":
            write_file(picture(WIDTH, HEIGHT), path)
        elif writer == "libvips-gray":
            image.colourspace("b-w").tiffsave(str(path), compression="jpeg", Q=85, **TILED)
        elif writer in LIBVIPS:
            image.tiffsave(str(path), compression="jpeg", **TILED, **LIBVIPS[writer])
        else:
            _write_with_tifffile(path, byteorder=">" if "big-endian" in writer else "<")
        return path.read_bytes()


def _write_with_tifffile(path: Path, byteorder: Any) -> None:
    """As ImageMagick and GDAL do: RGB without Adobe's marker; here each tile has its tables."""
    pixels = picture(WIDTH, HEIGHT)
    with tifffile.TiffWriter(path, byteorder=byteorder) as file:
        while True:
            file.write(
                np.ascontiguousarray(pixels),
                photometric="rgb",
                compression="jpeg",
                compressionargs={"level": 85, "outcolorspace": "rgb"},
                tile=(256, 256),
                metadata=None,
            )
            if max(pixels.shape[:2]) <= 256:
                return
            pixels = pixels[: pixels.shape[0] // 2 * 2 : 2, : pixels.shape[1] // 2 * 2 : 2]


def levels_of(data: bytes) -> list[PyramidLevel]:
    """The levels, with their tiles."""
    return read_levels(TiffReader(lambda start, size: data[start : start + size], len(data)))


def record_of(data: bytes, identifier: str = "a", **changes: Any) -> Live:
    """The record of an image whose pyramid is `data`."""
    levels = levels_of(data)
    sizes = tuple((level.width, level.height) for level in levels)
    width, height = sizes[0]
    fields = {
        "levels": sizes,
        "tile_width": levels[0].tile_width,
        "tile_height": levels[0].tile_height,
        "access_master_bytes": len(data),
    }
    return live(identifier, width, height, **{**fields, **changes})


@dataclass
class CountingStore(MemoryObjectStore):
    """Notes every ranged read: offset and bytes."""

    reads: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        part = super().read(key, start, length, version=version, if_etag=if_etag)
        self.reads.append((start, len(part.data)))
        return part

    @property
    def bytes_read(self) -> int:
        return sum(length for _, length in self.reads)


@dataclass
class OpenPyramidsRig:
    """A store, a cache over it, the pyramids over that."""

    store: CountingStore
    cache: BlockCache
    pyramids: Pyramids

    def publish(self, data: bytes, image: Live | None = None) -> Live:
        """Put an access master into the store; its record."""
        image = image or record_of(data)
        self.store.put(image.access_master_key, data, content_type="image/tiff")
        return image

    async def open(self, data: bytes) -> OpenPyramid:
        """Publish and open."""
        return await self.pyramids.open(self.publish(data))


@asynccontextmanager
async def open_rig(directory: Path, **options: Any) -> AsyncIterator[OpenPyramidsRig]:
    """A rig with an empty store and an empty cache in `directory`."""
    store = options.pop("store", None) or CountingStore()
    cache = BlockCache(store, directory, 64 << 20, revalidate_seconds=1e9)
    try:
        yield OpenPyramidsRig(store, cache, Pyramids(cache, **options))
    finally:
        cache.close()


def stored_tile(data: bytes, level: int, column: int, row: int) -> bytes:
    """The bytes of a tile, found by another reader."""
    levels = levels_of(data)
    offset, count = levels[level].tiles[row * levels[level].columns + column]
    return data[offset : offset + count]


def level_pixels(data: bytes, level: int) -> Any:
    """What libvips makes of a level: (rows, columns, 3 or 1)."""
    image = pyvips.Image.new_from_buffer(data, "")
    if image.get_typeof("n-subifds") and level:
        return pyvips.Image.new_from_buffer(data, "", subifd=level - 1).numpy()
    return pyvips.Image.new_from_buffer(data, "", page=level).numpy()
