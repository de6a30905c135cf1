"""Renderers of small colour JPEGs from luma and chroma planes, as tiles store them.

No detour through RGB, and chromas scaled directly to half the size: less work than any other way
up to half a megapixel (ADR 0007). A source may begin at a fraction of a pixel, and is not rounded.
The smallest, thumbnails, are rendered at once in the event loop, the others in a pool.
"""

import threading
from collections.abc import Callable
from math import ceil
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.Image import Resampling

from vitrine.deliver.pyramids.level import YCBCR
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.encode import JPEG_QUALITY
from vitrine.deliver.render.job import Job
from vitrine.deliver.render.jpeg_codec import (
    SUBSAMPLINGS,
    Pixels,
    decode_planes,
    encode_planes,
)
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask
from vitrine.deliver.render.tile_file import open_tiles
from vitrine.deliver.render.tile_pixels import stream_prefix
from vitrine.iiif.region import Box

LARGEST_SMALL_PIXELS = 500_000
LARGEST_SMALL_SOURCE_PIXELS = 4 << 20
"""Pixels of the whole tiles that are decoded."""
LARGEST_THUMBNAIL_PIXELS = 256 * 256
LARGEST_THUMBNAIL_SOURCE_PIXELS = 2 * 256 * 256
"""Pixels of the whole tiles that are decoded: two of our tiles, a millisecond."""

ReadTile = Callable[[int, int], bytes]
"""(column, row) -> the tile as it is stored, from SOI to EOI."""
_FloatBox = tuple[float, float, float, float]


def is_thumbnail(task: RenderTask) -> bool:
    """Return True if a task is quick enough for the event loop."""
    return (
        task.plan.result_pixels <= LARGEST_THUMBNAIL_PIXELS
        and is_small(task)
        and Source(task).pixels <= LARGEST_THUMBNAIL_SOURCE_PIXELS
    )


def is_small(task: RenderTask) -> bool:
    """Return True for a small upright colour JPEG, not enlarged, of tiles in planes."""
    level = task.level
    return (
        task.is_plain_jpeg
        and not task.request.is_upscaled
        and task.plan.result_pixels <= LARGEST_SMALL_PIXELS
        and level.passes_through
        and level.photometric == YCBCR
        and level.subsampling in SUBSAMPLINGS
        and Source(task).pixels <= LARGEST_SMALL_SOURCE_PIXELS
    )


class ThumbnailRenderer:
    """Renders what `is_thumbnail` accepts, in the event loop (see Renderer)."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """Render without a turn in the pool. Raises DamagedJpeg, too."""
        level = task.plan.level
        tiles = {
            (column, row): pyramid.peek_tile(level, column, row)
            or await pyramid.tile(level, column, row)
            for column, row in Source(task).tiles
        }
        return plane_renderer().render(task, lambda column, row: tiles[column, row])


class SmallRenderer:
    """Renders what `is_small` accepts, in a pool (see Renderer)."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """Render in a thread of the pool. Raises DamagedJpeg and DamagedTile, too."""
        ranges = pyramid.level_ranges(task.plan.level, Source(task).whole_tiles)
        async with pyramid.file.pinned(ranges) as path:
            return await pool.run(
                task.memory_bytes, task.work, lambda job: _render_file(path, task, job)
            )


def _render_file(path: Path, task: RenderTask, job: Job) -> bytes:
    job.check()
    with open_tiles(path, task.level) as tiles:
        return plane_renderer().render(task, tiles.read)


class Source:
    """The tiles that a task is made from, side by side, and a box in their pixels."""

    def __init__(self, task: RenderTask) -> None:
        level, region, number = task.level, task.request.region, task.plan.level
        factor = 1 << number
        left, top = region.x / factor, region.y / factor
        right = min((region.x + region.width) / factor, level.width)
        bottom = min((region.y + region.height) / factor, level.height)
        self.columns = range(int(left) // level.tile_width, -int(-right // level.tile_width))
        self.rows = range(int(top) // level.tile_height, -int(-bottom // level.tile_height))
        x, y = self.columns.start * level.tile_width, self.rows.start * level.tile_height
        self._origin = x, y
        self.box = left - x, top - y, right - x, bottom - y
        self.right = min(self.columns.stop * level.tile_width, level.width) - x
        self.bottom = min(self.rows.stop * level.tile_height, level.height) - y
        """Where the level ends within the tiles; beyond is padding."""
        self.width = len(self.columns) * level.tile_width
        self.height = len(self.rows) * level.tile_height

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """Column and row of each tile, row by row."""
        return [(column, row) for row in self.rows for column in self.columns]

    @property
    def whole_tiles(self) -> Box:
        """The box of the whole tiles in the level, pixels."""
        return Box(*self._origin, self.width, self.height)

    @property
    def pixels(self) -> int:
        """Number of pixels of the whole tiles."""
        return self.width * self.height


class PlaneRenderer:
    """The memory of one thread."""

    def __init__(self) -> None:
        self._memory = np.zeros(0, np.uint8)

    def render(self, task: RenderTask, read_tile: ReadTile) -> bytes:
        """Return the JPEG. Raises DamagedJpeg, and what `read_tile` raises."""
        source = Source(task)
        planes = self._allocate_planes(source, task.level.subsampling)
        self._decode_tiles(task, source, planes, read_tile)
        return self._encode_scaled(task, source, planes)

    def _allocate_planes(self, source: Source, subsampling: tuple[int, int]) -> list[Pixels]:
        """Return luma and both chromas, in memory that is used again."""
        across, down = subsampling
        full, part = source.pixels, source.pixels // (across * down)
        if self._memory.size < full + 2 * part:
            self._memory = np.zeros(full + 2 * part, np.uint8)
        luma, chromas = self._memory[:full], self._memory[full : full + 2 * part]
        return [
            luma.reshape(source.height, source.width),
            *chromas.reshape(2, source.height // down, source.width // across),
        ]

    def _decode_tiles(
        self, task: RenderTask, source: Source, planes: list[Pixels], read_tile: ReadTile
    ) -> None:
        level, prefix = task.level, stream_prefix(task.level)
        width, height = level.tile_width, level.tile_height
        row_bytes = [plane.strides[0] for plane in planes]
        addresses = [plane.ctypes.data for plane in planes]
        divisors = ((1, 1), level.subsampling, level.subsampling)
        for column, row in source.tiles:
            x, y = (column - source.columns.start) * width, (row - source.rows.start) * height
            targets = [
                address + y // down * stride + x // across
                for address, stride, (across, down) in zip(
                    addresses, row_bytes, divisors, strict=True
                )
            ]
            stream = prefix + memoryview(read_tile(column, row))[2:]
            decode_planes(stream, targets, row_bytes, (width, height), level.subsampling)

    def _encode_scaled(self, task: RenderTask, source: Source, planes: list[Pixels]) -> bytes:
        width, height = task.plan.width, task.plan.height
        half = (width + 1) // 2, (height + 1) // 2
        left, top, right, bottom = source.box
        # With an odd size, the last chroma pixel reaches beyond the region.
        far = (
            min(left + (right - left) * 2 * half[0] / width, source.right),
            min(top + (bottom - top) * 2 * half[1] / height, source.bottom),
        )
        across, down = task.level.subsampling
        chroma = (left / across, top / down, far[0] / across, far[1] / down)
        result = [_resize_plane(planes[0], (width, height), source.box, Resampling.BICUBIC)]
        result += [_resize_chroma(plane, half, chroma) for plane in planes[1:]]
        return encode_planes(result, (width, height), JPEG_QUALITY)


def _resize_chroma(plane: Pixels, size: tuple[int, int], box: _FloatBox) -> bytes:
    """Resize a chroma plane.

    Where pairs of pixels become one, the box is rounded to whole pixels: a third of the work.
    """
    left, top = round(box[0]), round(box[1])
    right, bottom = left + 2 * size[0], top + 2 * size[1]
    pairs = (box[2] - box[0], box[3] - box[1]) == (2 * size[0], 2 * size[1])
    if pairs and right <= plane.shape[1] and bottom <= plane.shape[0]:
        return _view_plane(plane).reduce(2, (left, top, right, bottom)).tobytes()
    return _resize_plane(plane, size, box, Resampling.BOX)


def _view_plane(plane: Pixels) -> Image.Image:
    """Return an image over the same memory, not a copy."""
    height, width = plane.shape
    return Image.frombuffer("L", (width, height), plane, "raw", "L", 0, 1)


def _resize_plane(
    plane: Pixels, size: tuple[int, int], box: _FloatBox, resampling: Resampling
) -> bytes:
    """Cut out the box, then resize: the filter would read beyond the box, where another image's
    pixels may be."""
    left, top = int(box[0]), int(box[1])
    cut = _view_plane(plane).crop((left, top, ceil(box[2]), ceil(box[3])))
    inner = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
    return cut.resize(size, resampling, inner).tobytes()


class _Local(threading.local):
    def __init__(self) -> None:
        self.renderer = PlaneRenderer()


_threads = _Local()


def plane_renderer() -> PlaneRenderer:
    """Return the calling thread's renderer."""
    return _threads.renderer
