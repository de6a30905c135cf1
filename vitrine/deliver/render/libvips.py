"""The renderer in this process: libjpeg-turbo decodes tiles, libvips scales them.

libvips itself reads pyramids of other codecs, and sources too large to be decoded as a whole, from
the local file.
"""

import logging
from asyncio import to_thread
from pathlib import Path
from typing import Any

import pyvips

from vitrine.deliver.pyramids.level import StoredLevel
from vitrine.deliver.pyramids.open_pyramid import TRIES, OpenPyramid
from vitrine.deliver.render import pipeline
from vitrine.deliver.render.encode import compute_image, encode_image, encode_jpeg
from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.pixels import Pixels
from vitrine.deliver.render.pool import RenderPool
from vitrine.deliver.render.task import RenderTask
from vitrine.deliver.render.tile_file import DamagedTile, open_tiles
from vitrine.deliver.render.tile_pixels import read_pixels
from vitrine.errors import DamagedAccessMaster
from vitrine.iiif.region import Box

logger = logging.getLogger(__name__)


class Libvips:
    """Renders every format, quality, size and rotation that is offered (see Renderer)."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: RenderPool) -> bytes:
        """Render, see Renderer. Bytes that are not the written ones are fetched again."""
        ranges = list_ranges(pyramid, task)
        level, damaged = task.plan.level, list[tuple[int, int]]()
        tiles = task.level.tile_ranges(task.plan.box)
        pyramid.check_quarantine(tiles.values())
        for tried in range(TRIES):
            async with pyramid.file.pinned(ranges) as path:
                try:
                    work = _RenderWork(path, pyramid, task, tolerant=tried > 0)
                    return await pool.run(task.memory_bytes, task.work, work)
                except DamagedTile as error:
                    logger.warning("%s has a damaged tile: %s", pyramid.file.key, error)
                    # Its neighbours may be damaged by the same cause.
                    damaged = await to_thread(pyramid.find_damaged, path, level, tiles)
                    pyramid.forget(damaged or [(error.offset, error.length)])
                except pyvips.Error as error:
                    logger.warning("libvips cannot read %s: %s", pyramid.file.key, error)
                    pyramid.forget(ranges)
        await pyramid.hold_damaged(level, tiles, damaged)
        raise DamagedAccessMaster("the access master is damaged: it cannot be decoded")


def list_ranges(pyramid: OpenPyramid, task: RenderTask) -> list[tuple[int, int]]:
    """Return offset and length of all bytes that a render may read. Raises Unavailable."""
    ranges = pyramid.level_ranges(task.plan.level, task.plan.box)
    if task.request.quality == "bitonal":
        last = len(pyramid.levels) - 1
        ranges += pyramid.level_ranges(last, _whole_box(pyramid.levels[last]))
    return [*pyramid.head_ranges, *ranges]


class _RenderWork:
    """The part of a render that runs in a thread. `tolerant` accepts what decoders warn of."""

    def __init__(
        self, path: Path, pyramid: OpenPyramid, task: RenderTask, *, tolerant: bool
    ) -> None:
        self._path = path
        self._pyramid = pyramid
        self._levels = pyramid.levels
        self._task = task
        self._tolerant = tolerant

    def __call__(self, job: RenderJob) -> bytes:
        """Return the encoded image. Raises DamagedTile, pyvips.Error, Unavailable, Abandoned."""
        pipeline.prepare_libvips()
        task, plan = self._task, self._task.plan
        if not task.decodes_tiles:
            box = plan.box
            cut = self._page(plan.level).crop(box.x, box.y, box.width, box.height)
            image = self._finish_image(cut, job)
            # libvips read the file itself: what it read is judged while it is still pinned.
            tiles = task.level.tile_ranges(box)
            for offset, length in self._pyramid.find_damaged(self._path, plan.level, tiles):
                raise DamagedTile(offset, length, "it is not what was written")
            return image
        pixels = self._decode_box(self._levels[plan.level], plan.box, job)
        if not plan.scales and task.is_plain_jpeg:
            return encode_jpeg(pixels, job)
        return self._finish_image(pipeline.wrap_pixels(pixels), job)

    def _finish_image(self, image: Any, job: RenderJob) -> bytes:
        """Scale, recolour, turn and encode `image`, which is the plan's box."""
        request, plan = self._task.request, self._task.plan
        image = pipeline.scale(image, plan)
        if (image.width, image.height) != (plan.width, plan.height):
            image = pipeline.enlarge(compute_image(image, job), plan)
        if request.quality == "gray":
            image = pipeline.make_gray(image)
        elif request.quality == "bitonal":
            image = pipeline.make_bitonal(image, pipeline.find_threshold(self._smallest(job)))
        if self._task.is_turned:
            # Turning reads pixels in any order.
            image = pipeline.turn(compute_image(image, job), request.rotation)
        bitonal = request.quality == "bitonal"
        return encode_image(image, request.format, job, bitonal=bitonal)

    def _smallest(self, job: RenderJob) -> Any:
        """Return the smallest level: all parts of an image have the same threshold."""
        level = self._levels[-1]
        if level.passes_through:
            return pipeline.wrap_pixels(self._decode_box(level, _whole_box(level), job))
        return compute_image(self._page(len(self._levels) - 1), job)

    def _decode_box(self, level: StoredLevel, box: Box, job: RenderJob) -> Pixels:
        with open_tiles(self._path, level) as tiles:
            return read_pixels(tiles, box, job, tolerant=self._tolerant)

    def _page(self, level: int) -> Any:
        """Open a level with libvips, to be read top to bottom, in 8-bit sRGB or gray."""
        fail_on = "none" if self._tolerant else "error"
        path = str(self._path)
        pages = pyvips.Image.tiffload(path).get("n-pages")
        # Levels are pages, or all but the first are sub-images of the first.
        page = {"page": level} if pages > level else {"subifd": level - 1}
        image = pyvips.Image.tiffload(path, access="sequential", fail_on=fail_on, **page)
        return pipeline.convert_to_srgb(image)


def _whole_box(level: StoredLevel) -> Box:
    return Box(0, 0, level.width, level.height)
