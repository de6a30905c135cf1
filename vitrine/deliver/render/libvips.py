"""The renderer in this process: tiles decoded by libjpeg-turbo, scaled by libvips.

Pyramids of other codecs, and sources too large to be decoded as a whole, are read by libvips
itself, from the local file.
"""

import logging
from pathlib import Path
from typing import Any

import pyvips

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render import pipeline
from vitrine.deliver.render.encode import encode_jpeg, in_memory, save
from vitrine.deliver.render.job import Job
from vitrine.deliver.render.jpeg_codec import Pixels
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask
from vitrine.deliver.render.tile_file import DamagedTile, open_tiles
from vitrine.deliver.render.tile_pixels import read_pixels
from vitrine.errors import Unavailable
from vitrine.iiif.region import Box

logger = logging.getLogger(__name__)


class Libvips:
    """See Renderer: every format, quality, size and rotation that is offered."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """See Renderer. What cannot be decoded is fetched once more."""
        ranges = needed_ranges(pyramid, task)
        for again in (False, True):
            async with pyramid.file.pinned(ranges) as path:
                try:
                    work = _Work(path, pyramid.levels, task, tolerant=again)
                    return await pool.run(task.memory_bytes, task.work, work)
                except DamagedTile as error:
                    logger.warning("%s: a tile: %s", pyramid.file.key, error)
                    pyramid.file.forget(error.offset, error.length)
                    # What spoiled one may have spoiled its neighbours.
                    pyramid.forget_damaged(task.plan.level, task.plan.box)
                except pyvips.Error as error:
                    logger.warning("%s: %s", pyramid.file.key, error)
                    for offset, length in ranges:
                        pyramid.file.forget(offset, length)
        raise Unavailable("the access master is damaged: it cannot be decoded")


def needed_ranges(pyramid: OpenPyramid, task: RenderTask) -> list[tuple[int, int]]:
    """Offset and length of all bytes of the file that a render may read. Raises Unavailable."""
    ranges = pyramid.level_ranges(task.plan.level, task.plan.box)
    if task.request.quality == "bitonal":
        last = len(pyramid.levels) - 1
        ranges += pyramid.level_ranges(last, _whole(pyramid.levels[last]))
    return [*pyramid.head_ranges, *ranges]


class _Work:
    """What a thread does of one render. `tolerant`: do not fail for what decoders warn of."""

    def __init__(
        self, path: Path, levels: tuple[StoredLevel, ...], task: RenderTask, *, tolerant: bool
    ) -> None:
        self._path = path
        self._levels = levels
        self._task = task
        self._tolerant = tolerant

    def __call__(self, job: Job) -> bytes:
        """The encoded image. Raises DamagedTile, pyvips.Error, Unavailable, Abandoned."""
        pipeline.prepare_libvips()
        task, plan = self._task, self._task.plan
        if not task.decodes_tiles:
            box = plan.box
            cut = self._page(plan.level).crop(box.x, box.y, box.width, box.height)
            if min(plan.across.shrink, plan.down.shrink) < 1:
                # Enlarging reads a line twice, which a file read from top to bottom does not allow.
                cut = in_memory(cut, job)
            return self._finished(cut, job)
        pixels = self._decoded(self._levels[plan.level], plan.box, job)
        if not plan.scales and task.is_plain_jpeg:
            return encode_jpeg(pixels, job)
        return self._finished(pipeline.image_of(pixels), job)

    def _finished(self, image: Any, job: Job) -> bytes:
        """`image` is the plan's box."""
        request = self._task.request
        image = pipeline.scaled(image, self._task.plan)
        if request.quality == "gray":
            image = pipeline.gray(image)
        elif request.quality == "bitonal":
            image = pipeline.bitonal(image, pipeline.threshold(self._smallest(job)))
        if self._task.is_turned:
            # Turning reads from all sides.
            image = pipeline.turned(in_memory(image, job), request.rotation)
        return save(image, request.format, job)

    def _smallest(self, job: Job) -> Pixels:
        """The smallest level: all parts of an image are to have one threshold."""
        level = self._levels[-1]
        if level.passes_through:
            return self._decoded(level, _whole(level), job)
        pixels: Pixels = in_memory(self._page(len(self._levels) - 1), job).numpy()
        return pixels

    def _decoded(self, level: StoredLevel, box: Box, job: Job) -> Pixels:
        with open_tiles(self._path, level) as tiles:
            return read_pixels(tiles, box, job, tolerant=self._tolerant)

    def _page(self, level: int) -> Any:
        """A level as libvips reads it from the file, top to bottom, in 8-bit sRGB or gray."""
        fail_on = "none" if self._tolerant else "error"
        path = str(self._path)
        pages = pyvips.Image.tiffload(path).get("n-pages")
        # Levels are pages, or all but the first are sub-images of the first.
        place = {"page": level} if pages > level else {"subifd": level - 1}
        image = pyvips.Image.tiffload(path, access="sequential", fail_on=fail_on, **place)
        return pipeline.srgb(image)


def _whole(level: StoredLevel) -> Box:
    return Box(0, 0, level.width, level.height)
