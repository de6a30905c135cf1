"""Small colour JPEGs made of luma and chroma planes, as tiles store them.

No detour through RGB, and chromas scaled straight to half the size: less work than any other way
up to half a megapixel (ADR 0007). Sources begin at fractions of a pixel, and stay there.
"""

import threading
from collections.abc import Callable
from math import ceil

import numpy as np
from PIL import Image
from PIL.Image import Resampling

from vitrine.deliver.pyramids.level import YCBCR
from vitrine.deliver.render.encode import JPEG_QUALITY
from vitrine.deliver.render.jpeg_codec import SUBSAMPLINGS, JpegCodec, Pixels
from vitrine.deliver.render.task import RenderTask
from vitrine.deliver.render.tile_pixels import stream_prefix
from vitrine.iiif.region import Box

LARGEST_RESULT_PIXELS = 500_000
LARGEST_SOURCE_PIXELS = 4 << 20
"""Of the tiles decoded, whole."""

ReadTile = Callable[[int, int], bytes]
"""(column, row) -> the tile as it is stored, from SOI to EOI."""
_FloatBox = tuple[float, float, float, float]


def takes(task: RenderTask) -> bool:
    """Whether a task is an upright colour JPEG, not enlarged, small, from tiles that suit us."""
    level = task.level
    return (
        task.is_plain_jpeg
        and not task.request.is_upscaled
        and task.plan.result_pixels <= LARGEST_RESULT_PIXELS
        and level.passes_through
        and level.photometric == YCBCR
        and level.subsampling in SUBSAMPLINGS
        and Source(task).pixels <= LARGEST_SOURCE_PIXELS
    )


class Source:
    """What a task is made from: tiles, side by side, and a box in their pixels."""

    def __init__(self, task: RenderTask) -> None:
        level, region, number = task.level, task.request.region, task.plan.level
        factor = 1 << number
        left, top = region.x / factor, region.y / factor
        right = min((region.x + region.width) / factor, level.width)
        bottom = min((region.y + region.height) / factor, level.height)
        self.columns = range(int(left) // level.tile_width, -int(-right // level.tile_width))
        self.rows = range(int(top) // level.tile_height, -int(-bottom // level.tile_height))
        x, y = self.columns.start * level.tile_width, self.rows.start * level.tile_height
        self._place = x, y
        self.box = left - x, top - y, right - x, bottom - y
        self.right = min(self.columns.stop * level.tile_width, level.width) - x
        self.bottom = min(self.rows.stop * level.tile_height, level.height) - y
        """What the tiles hold of the level; beyond is padding."""
        self.width = len(self.columns) * level.tile_width
        self.height = len(self.rows) * level.tile_height

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """Columns and rows, row by row."""
        return [(column, row) for row in self.rows for column in self.columns]

    @property
    def whole_tiles(self) -> Box:
        """The tiles' place in the level, pixels."""
        return Box(*self._place, self.width, self.height)

    @property
    def pixels(self) -> int:
        """Of its tiles, whole."""
        return self.width * self.height


class PlaneRenderer:
    """One thread's codec and memory."""

    def __init__(self) -> None:
        self._codec = JpegCodec()
        self._memory = np.zeros(0, np.uint8)

    def render(self, task: RenderTask, read_tile: ReadTile) -> bytes:
        """The JPEG. Raises DamagedJpeg, and what `read_tile` raises."""
        source = Source(task)
        planes = self._planes(source, task.level.subsampling)
        self._decode(task, source, planes, read_tile)
        return self._scaled(task, source, planes)

    def _planes(self, source: Source, subsampling: tuple[int, int]) -> list[Pixels]:
        """Luma and both chromas, in memory that is used again."""
        across, down = subsampling
        full, part = source.pixels, source.pixels // (across * down)
        if self._memory.size < full + 2 * part:
            self._memory = np.zeros(full + 2 * part, np.uint8)
        luma, chromas = self._memory[:full], self._memory[full : full + 2 * part]
        return [
            luma.reshape(source.height, source.width),
            *chromas.reshape(2, source.height // down, source.width // across),
        ]

    def _decode(
        self, task: RenderTask, source: Source, planes: list[Pixels], read_tile: ReadTile
    ) -> None:
        level, prefix = task.level, stream_prefix(task.level)
        width, height = level.tile_width, level.tile_height
        row_bytes = [plane.strides[0] for plane in planes]
        addresses = [plane.ctypes.data for plane in planes]
        divisors = ((1, 1), level.subsampling, level.subsampling)
        for column, row in source.tiles:
            x, y = (column - source.columns.start) * width, (row - source.rows.start) * height
            places = [
                address + y // down * stride + x // across
                for address, stride, (across, down) in zip(
                    addresses, row_bytes, divisors, strict=True
                )
            ]
            stream = prefix + memoryview(read_tile(column, row))[2:]
            self._codec.decode_planes(stream, places, row_bytes, (width, height), level.subsampling)

    def _scaled(self, task: RenderTask, source: Source, planes: list[Pixels]) -> bytes:
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
        result = [_resized(planes[0], (width, height), source.box, Resampling.BICUBIC)]
        result += [_halved(plane, half, chroma) for plane in planes[1:]]
        return self._codec.encode_planes(result, (width, height), JPEG_QUALITY)


def _halved(plane: Pixels, size: tuple[int, int], box: _FloatBox) -> bytes:
    """Chroma; where pairs of pixels become one, to the nearest pixel: a third of the work."""
    left, top = round(box[0]), round(box[1])
    right, bottom = left + 2 * size[0], top + 2 * size[1]
    pairs = (box[2] - box[0], box[3] - box[1]) == (2 * size[0], 2 * size[1])
    if pairs and right <= plane.shape[1] and bottom <= plane.shape[0]:
        return _image(plane).reduce(2, (left, top, right, bottom)).tobytes()
    return _resized(plane, size, box, Resampling.BOX)


def _image(plane: Pixels) -> Image.Image:
    """Over the same memory, not a copy."""
    height, width = plane.shape
    return Image.frombuffer("L", (width, height), plane, "raw", "L", 0, 1)


def _resized(plane: Pixels, size: tuple[int, int], box: _FloatBox, resampling: Resampling) -> bytes:
    """Cut first: the filter would read beyond the box, where another image's pixels may be."""
    left, top = int(box[0]), int(box[1])
    cut = _image(plane).crop((left, top, ceil(box[2]), ceil(box[3])))
    inner = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
    return cut.resize(size, resampling, inner).tobytes()


class _Local(threading.local):
    def __init__(self) -> None:
        self.renderer = PlaneRenderer()


_threads = _Local()


def plane_renderer() -> PlaneRenderer:
    """The calling thread's."""
    return _threads.renderer
