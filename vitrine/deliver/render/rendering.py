"""Rendering of derivatives: chooses the renderer, and admits as many as there is room for."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.choice import (
    Choice,
    PoolName,
    RendererName,
    choose_pool,
    choose_renderer,
)
from vitrine.deliver.render.iipsrv import Iipsrv, supports_task
from vitrine.deliver.render.jpeg_codec import DamagedJpeg
from vitrine.deliver.render.jxl_codec import pack_jpeg
from vitrine.deliver.render.libvips import Libvips
from vitrine.deliver.render.planes import (
    ThumbnailRenderer,
    is_thumbnail,
    peek_tiles,
    render_thumbnail,
)
from vitrine.deliver.render.pool import PoolSize, RenderPool
from vitrine.deliver.render.shared_load import ProcessLoad, SharedLoad
from vitrine.deliver.render.task import RenderTask, packing_costs, plan_task
from vitrine.deliver.render.tile_file import DamagedTile
from vitrine.errors import InvalidRequest, Unavailable
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live

_MEDIUM_MEMORY_BYTES = 256 << 20
NICENESS: dict[PoolName, int] = {"medium": 9, "large": 7, "huge": 9, "download": 9}
"""Niceness of each pool's threads: the event loop, at 0, precedes all of them (ADR 0007)."""


@dataclass(frozen=True, kw_only=True)
class RenderingSize:
    """What rendering may use, in all processes of the task."""

    cores: int
    """Number of small renders at a time."""
    waiting: int
    """Number of small renders that may wait; more are rejected."""
    large_renders: int
    """Number of large renders at a time, and of huge ones."""
    large_waiting: int
    """Number of large renders that may wait, and of huge ones; more are rejected."""
    large_memory_bytes: int
    """Memory of the large renders under way, and of the huge ones."""


class Renderer(Protocol):
    """Renders tasks of opened pyramids, and fetches what it needs of them."""

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: RenderPool) -> bytes:
        """Return an encoded image of exactly the requested size, with any metadata or none.

        The caller was admitted to `pool`. Raises Unavailable, and Replaced when the store now
        holds another object.
        """
        ...


Pools = dict[PoolName, RenderPool]


class Rendering:
    """All renderers with their pools. Belongs to one event loop."""

    def __init__(
        self,
        iipsrv: Iipsrv,
        size: RenderingSize,
        counters: Counters | None = None,
        load: ProcessLoad | None = None,
    ) -> None:
        """`load` is this process's; `size` is what all processes of the task may use together."""
        load = load or SharedLoad().load(1)
        self._iipsrv = iipsrv
        self._counters = counters or Counters()
        pools = _make_pools(size, load)
        # iipsrv works in processes of its own: when they hang, the other renderers go on.
        self._iipsrv_pools = _make_pools(size, load)
        # Who downloads takes as long as his line does: strips wait for strips only.
        self._iipsrv_pools["download"] = _make_pool(
            "download", size.large_renders, size.waiting, size.large_memory_bytes, load
        )
        self._renderers: dict[RendererName, tuple[Renderer, Pools]] = {
            "thumbnail": (ThumbnailRenderer(), pools),
            "libvips": (Libvips(), pools),
            "iipsrv": (iipsrv, self._iipsrv_pools),
        }
        self._pools = pools
        for place, lanes in (("gateway", pools), ("iipsrv", self._iipsrv_pools)):
            for lane, pool in lanes.items():
                _watch_lane(self._counters, pool, place=place, lane=lane)

    async def render(self, image: Live, pyramid: OpenPyramid, request: ResolvedRequest) -> bytes:
        """Return an encoded image of exactly the requested size.

        Raises Unavailable, also when too many wait already, and Replaced when the store now holds
        another object. Cancelling it gives up the slot, and ends the work.
        """
        task = plan_task(pyramid.levels, request)
        choice = choose_renderer(pyramid, task)
        try:
            return await self._render_task(pyramid, task, choice)
        except (DamagedJpeg, DamagedTile):
            # libvips fetches damaged tiles again, and is less strict if that does not help.
            return await self._render_task(pyramid, task, Choice("libvips", choice.pool))

    def render_at_once(self, pyramid: OpenPyramid, request: ResolvedRequest) -> bytes | None:
        """Return a thumbnail if all of its tiles are at hand and sound; None: await `render`."""
        task = plan_task(pyramid.levels, request)
        if not is_thumbnail(task):
            return None
        try:
            tiles = peek_tiles(pyramid, task)
            if tiles is None:
                return None
            with self._count_render(Choice("thumbnail", "medium")):
                return render_thumbnail(task, tiles)
        except (DamagedJpeg, Unavailable):
            return None

    async def pack(self, jpeg: bytes, request: ResolvedRequest) -> bytes:
        """Return a JPEG of the requested size as a JPEG XL of the same coefficients.

        Raises Unavailable when too many wait already, and UnsupportedJpeg.
        """
        memory_bytes, work = packing_costs(request.width, request.height)
        choice = Choice("libjxl", choose_pool(work))
        pool = self._pools[choice.pool]
        with self._count_render(choice), pool.admission():
            return await pool.run(memory_bytes, work, lambda job: pack_jpeg(jpeg))

    async def cut_strip(self, pyramid: OpenPyramid, request: ResolvedRequest) -> bytes:
        """Return a region at a level's own scale as iipsrv makes it, if it can, from coefficients.

        Raises InvalidRequest if iipsrv cannot read the pyramid, and what `render` does.
        """
        task = plan_task(pyramid.levels, request)
        if not supports_task(pyramid, task):
            raise InvalidRequest("the image is not stored as tiles that can be joined to one JPEG")
        return await self._render_task(pyramid, task, Choice("iipsrv", "download"))

    async def _render_task(self, pyramid: OpenPyramid, task: RenderTask, choice: Choice) -> bytes:
        with self._count_render(choice):
            return await self._render_with(pyramid, task, choice)

    @contextmanager
    def _count_render(self, choice: Choice) -> Iterator[None]:
        """Count how a render ended and how long it took."""
        began, result = time.perf_counter(), "failed"
        try:
            yield
            result = "done"
        except Unavailable:
            result = "unavailable"
            raise
        except asyncio.CancelledError:
            result = "abandoned"
            raise
        finally:
            renderer, lane = choice.renderer, choice.pool
            self._counters.count("renders_total", renderer=renderer, lane=lane, result=result)
            seconds = time.perf_counter() - began
            self._counters.count("render_seconds_total", seconds, renderer=renderer, lane=lane)

    async def _render_with(self, pyramid: OpenPyramid, task: RenderTask, choice: Choice) -> bytes:
        renderer, pools = self._renderers[choice.renderer]
        pool = pools[choice.pool]
        if choice.renderer == "thumbnail":
            return await renderer.render(pyramid, task, pool)
        with pool.admission():
            return await renderer.render(pyramid, task, pool)

    async def check(self) -> None:
        """Raise Unavailable when iipsrv does not answer."""
        await self._iipsrv.check()

    async def close(self) -> None:
        """Stop the threads; renders that have begun may end."""
        for pool in (*self._pools.values(), *self._iipsrv_pools.values()):
            pool.close()


def _watch_lane(counters: Counters, pool: RenderPool, **labels: str) -> None:
    for name, attribute in (
        ("renders_running", "running"),
        ("renders_waiting", "waiting"),
        ("renders_refused_total", "refused"),
    ):
        counters.watch(name, partial(getattr, pool, attribute), **labels)


def _make_pools(size: RenderingSize, load: ProcessLoad) -> Pools:
    large = size.large_renders, size.large_waiting, size.large_memory_bytes
    return {
        "medium": _make_pool("medium", size.cores, size.waiting, _MEDIUM_MEMORY_BYTES, load),
        "large": _make_pool("large", *large, load),
        "huge": _make_pool("huge", *large, load),
    }


def _make_pool(
    name: PoolName, renders: int, waiting: int, memory_bytes: int, load: ProcessLoad
) -> RenderPool:
    size = PoolSize(
        renders=renders, waiting=waiting, memory_bytes=memory_bytes, niceness=NICENESS[name]
    )
    return RenderPool(name, size, load.next_lane())
