"""Renders derivatives: chooses who does it, and lets in as many as there is room for."""

from dataclasses import dataclass

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.choice import Choice, JpegRenderer, PoolName, choose
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.deliver.render.jpeg_codec import DamagedJpeg
from vitrine.deliver.render.libvips import Libvips
from vitrine.deliver.render.pool import Pool, PoolSize
from vitrine.deliver.render.renderer import Renderer
from vitrine.deliver.render.small import Small
from vitrine.deliver.render.task import RenderTask, task_of
from vitrine.deliver.render.thumbnail import Thumbnail
from vitrine.deliver.render.tile_file import DamagedTile
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live

_MEDIUM_MEMORY_BYTES = 256 << 20
NICENESS: dict[PoolName, int] = {"medium": 9, "large": 7, "huge": 9}
"""Of each pool's threads: the event loop, at 0, goes before all of them (measured: ADR 0007)."""


@dataclass(frozen=True, kw_only=True)
class RenderingSize:
    """What rendering may use."""

    cores: int
    """Renders of little work at once."""
    waiting: int
    """Of little work; more are refused."""
    large_renders: int
    """At once, and as many huge ones."""
    large_waiting: int
    """Of either; more are refused."""
    large_memory_bytes: int
    """Of large renders under way, and of huge ones."""


class Rendering:
    """Belongs to one event loop."""

    def __init__(
        self, iipsrv: Iipsrv, size: RenderingSize, jpeg_renderer: JpegRenderer = "measured"
    ) -> None:
        self._iipsrv = iipsrv
        self._jpeg_renderer = jpeg_renderer
        self._renderers: dict[str, Renderer] = {
            "thumbnail": Thumbnail(),
            "small": Small(),
            "libvips": Libvips(),
            "iipsrv": iipsrv,
        }
        self._pools = _pools(size)
        # iipsrv works in processes of its own: when they hang, others need not.
        self._iipsrv_pools = _pools(size)

    async def render(self, image: Live, pyramid: OpenPyramid, request: ResolvedRequest) -> bytes:
        """An encoded image of exactly the size asked.

        Raises Unavailable, also when too many wait already, and Replaced when the store holds
        another object by now. Being cancelled gives up the place, and ends the work.
        """
        task = task_of(pyramid.levels, request)
        choice = choose(pyramid, task, self._jpeg_renderer)
        try:
            return await self._render(pyramid, task, choice)
        except (DamagedJpeg, DamagedTile):
            # It fetches what is damaged once more, and is less strict if that does not help.
            return await self._render(pyramid, task, Choice("libvips", choice.pool))

    async def _render(self, pyramid: OpenPyramid, task: RenderTask, choice: Choice) -> bytes:
        renderer = self._renderers[choice.renderer]
        pools = self._iipsrv_pools if choice.renderer == "iipsrv" else self._pools
        pool = pools[choice.pool]
        if choice.renderer == "thumbnail":
            return await renderer.render(pyramid, task, pool)
        with pool.admission():
            return await renderer.render(pyramid, task, pool)

    async def check(self) -> None:
        """Raises Unavailable when iipsrv is to render and does not answer."""
        if self._jpeg_renderer == "iipsrv":
            await self._iipsrv.check()

    async def close(self) -> None:
        """Let go of the threads; what runs may end."""
        for pool in (*self._pools.values(), *self._iipsrv_pools.values()):
            pool.close()


def _pools(size: RenderingSize) -> dict[PoolName, Pool]:
    def pool(name: PoolName, renders: int, waiting: int, memory_bytes: int) -> Pool:
        return Pool(
            name,
            PoolSize(
                renders=renders,
                waiting=waiting,
                memory_bytes=memory_bytes,
                niceness=NICENESS[name],
            ),
        )

    return {
        "medium": pool("medium", size.cores, size.waiting, _MEDIUM_MEMORY_BYTES),
        "large": pool("large", size.large_renders, size.large_waiting, size.large_memory_bytes),
        "huge": pool("huge", size.large_renders, size.large_waiting, size.large_memory_bytes),
    }
