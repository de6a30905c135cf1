"""JPEGs so small that they are made at once, in the event loop."""

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render import planes
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask

LARGEST_RESULT_PIXELS = 256 * 256
LARGEST_SOURCE_PIXELS = 2 * 256 * 256
"""Of the tiles decoded, whole: two of ours, a millisecond."""


class Thumbnail:
    """See Renderer: what `takes` says."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """See Renderer; takes no turn in the pool. Raises DamagedJpeg, too."""
        level = task.plan.level
        tiles = {
            (column, row): pyramid.peek_tile(level, column, row)
            or await pyramid.tile(level, column, row)
            for column, row in planes.Source(task).tiles
        }
        return planes.plane_renderer().render(task, lambda column, row: tiles[column, row])


def takes(task: RenderTask) -> bool:
    """Whether a task is quick enough for the event loop."""
    return (
        task.plan.result_pixels <= LARGEST_RESULT_PIXELS
        and planes.takes(task)
        and planes.Source(task).pixels <= LARGEST_SOURCE_PIXELS
    )
