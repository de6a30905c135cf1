"""The port of what turns stored tiles into another image."""

from typing import Protocol

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask


class Renderer(Protocol):
    """Renders tasks of opened pyramids, fetching what it needs of them."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """An encoded image of exactly the size asked; what metadata it carries is no matter.

        The caller was admitted to `pool`. Raises Unavailable, and Replaced when the store holds
        another object by now.
        """
        ...
