"""Small JPEGs made of planes, in a pool."""

from pathlib import Path

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.job import Job
from vitrine.deliver.render.planes import Source, plane_renderer
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask
from vitrine.deliver.render.tile_file import open_tiles


class Small:
    """See Renderer: what planes.takes says."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """See Renderer. Raises DamagedJpeg and DamagedTile, too."""
        ranges = pyramid.level_ranges(task.plan.level, Source(task).whole_tiles)
        async with pyramid.file.pinned(ranges) as path:
            return await pool.run(task.memory_bytes, task.work, lambda job: _work(path, task, job))


def _work(path: Path, task: RenderTask, job: Job) -> bytes:
    job.check()
    with open_tiles(path, task.level) as tiles:
        return plane_renderer().render(task, tiles.read)
