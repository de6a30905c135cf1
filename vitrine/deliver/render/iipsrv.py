"""The renderer that is Debian's iipsrv 1.1: processes that read the local file."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.fastcgi import BrokenExchange, send_request
from vitrine.deliver.render.geometry import Size
from vitrine.deliver.render.iipsrv_levels import list_ranges, predict_reading
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask
from vitrine.errors import DamagedAccessMaster, Unavailable
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import TiffReader

_TRIES = 2
_RESPAWN_SECONDS = 0.1
_TIMEOUT_SECONDS = 60.0
_CHECK_SECONDS = 3.0
_SAMPLE_BITS = 8
_BANDS = (1, 3)

logger = logging.getLogger(__name__)


class Iipsrv:
    """Sends only requests that iipsrv survives, and accepts only whole JPEGs (see Renderer).

    `socket` is the one that the processes share, `directory` their FILESYSTEM_PREFIX: the local
    files are below it.
    """

    def __init__(self, socket: Path, directory: Path, processes: int) -> None:
        self._socket = socket
        self._directory = directory
        # Each process renders one request and has the next at hand; the others wait here.
        self._connections = asyncio.Semaphore(2 * processes)

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: Pool) -> bytes:
        """Render, see Renderer. A process that dies is replaced at once, so it is tried twice."""
        box = safe_region(task.request, pyramid.levels)
        read = predict_reading(box, task.request, pyramid.levels)
        ranges = list_ranges(pyramid, read, task.request)
        for _ in range(_TRIES):
            async with pyramid.file.pinned(ranges) as path, pool.turn(task.memory_bytes, task.work):
                # iipsrv shows a tile that it cannot decode as gray, and calls that a success.
                if not pyramid.forget_damaged(read.level, read.box):
                    name = path.relative_to(self._directory).as_posix()
                    return await self._request_twice(iipsrv_query(name, task.request, box))
        raise DamagedAccessMaster("the access master is damaged: it cannot be decoded")

    async def _request_twice(self, query: str) -> bytes:
        for attempt in range(_TRIES):
            if attempt:
                await asyncio.sleep(_RESPAWN_SECONDS)
            try:
                return await self._request(query)
            except (OSError, TimeoutError, BrokenExchange) as error:
                logger.warning("iipsrv failed to render %s: %r", query, error)
        raise Unavailable("the image cannot be rendered now")

    async def _request(self, query: str) -> bytes:
        async with self._connections, asyncio.timeout(_TIMEOUT_SECONDS):
            answer = await send_request(self._socket, _parameters(query))
        whole = answer.body.startswith(b"\xff\xd8") and answer.body.endswith(b"\xff\xd9")
        # Errors may come as text/html.
        if "status" in answer.headers or not whole:
            raise BrokenExchange(f"{answer.headers} {answer.body[:80]!r}")
        return answer.body

    async def check(self) -> None:
        """Raise Unavailable unless iipsrv answers the request for an image that does not exist."""
        try:
            async with asyncio.timeout(_CHECK_SECONDS):
                answer = await send_request(self._socket, _parameters("none/info.json"))
        except (OSError, TimeoutError, BrokenExchange) as error:
            raise Unavailable(f"no answer ({type(error).__name__})") from error
        status = answer.headers.get("status", "200")
        if not status.startswith("404"):
            raise Unavailable(f"iipsrv answers {status}")


def _parameters(query: str) -> dict[str, str]:
    return {"REQUEST_METHOD": "GET", "QUERY_STRING": f"IIIF={query}", "HTTP_HOST": "iipsrv"}


def supports_task(pyramid: OpenPyramid, task: RenderTask) -> bool:
    """Return True if iipsrv 1.1 can render a task: a JPEG, not enlarged, of 8-bit gray or colour.

    It finds levels only where they are pages: a pyramid in sub-images is one level to it. Where
    the box that it reads has fewer pixels than the result, along either axis, it reads beyond its
    memory.
    """
    level, request = task.level, task.request
    if request.format != "jpg" or request.is_upscaled:
        return False
    box = predict_reading(safe_region(request, pyramid.levels), request, pyramid.levels).box
    return (
        box.width >= request.width
        and box.height >= request.height
        and level.bits == _SAMPLE_BITS
        and level.samples in _BANDS
        and level.contiguous
        and _levels_are_pages(pyramid)
    )


def _levels_are_pages(pyramid: OpenPyramid) -> bool:
    def read(offset: int, length: int) -> bytes:
        return pyramid.file.peek(offset, length) or b""

    try:
        return len(TiffReader(read, pyramid.file.size).pages()) == len(pyramid.levels)
    except MalformedTiff:
        return False


def iipsrv_query(name: str, request: ResolvedRequest, box: Box) -> str:
    """Return the query for the region `box` in iipsrv's syntax: numbers only, inside the image."""
    mirror = "!" if request.rotation.mirrored else ""
    return (
        f"{name}/{box.x},{box.y},{box.width},{box.height}/{request.width},{request.height}"
        f"/{mirror}{int(request.rotation.degrees)}/{request.quality}.jpg"
    )


def safe_region(request: ResolvedRequest, levels: Sequence[Size]) -> Box:
    """Return the region to request of iipsrv 1.1, so that it misses no level that it may read.

    A level's sides are rounded down, so the last pixels of the image can lie beyond its last
    pixel: 1.1 then renders from nothing and dies. The region's start is moved back to the last
    pixel of every level that may be read: by about one pixel of the result at most. iipsrv's own
    rounding may choose a level that is smaller than the reduction of the region says.
    """
    x, y = request.region.x, request.region.y
    right, bottom = x + request.region.width, y + request.region.height
    while True:
        box = Box(x, y, right - x, bottom - y)
        chosen = predict_reading(box, request, levels).level
        reduction = max(box.width / request.width, box.height / request.height)
        for number, level in enumerate(levels):
            if number > chosen and 2**number > reduction:
                break
            x = min(x, (level.width - 1) << number)
            y = min(y, (level.height - 1) << number)
        if (x, y) == (box.x, box.y):
            return box
