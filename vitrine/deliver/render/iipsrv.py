"""The renderer that is iipsrv 1.1 with our patches: processes that read the local file."""

import asyncio
import logging
from pathlib import Path

from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.fastcgi import BrokenExchange, send_request
from vitrine.deliver.render.geometry import Size
from vitrine.deliver.render.pool import Pool
from vitrine.deliver.render.task import RenderTask
from vitrine.errors import DamagedAccessMaster, Unavailable
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest

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
        number = task.plan.level
        box = locate_reading(task.request, number, task.level)
        ranges = [*pyramid.head_ranges, *pyramid.level_ranges(number, box)]
        for _ in range(_TRIES):
            async with pyramid.file.pinned(ranges) as path, pool.turn(task.memory_bytes, task.work):
                # iipsrv shows a tile that it cannot decode as gray, and calls that a success.
                if not pyramid.forget_damaged(number, box):
                    name = path.relative_to(self._directory).as_posix()
                    resolution = len(pyramid.levels) - 1 - number
                    return await self._request_twice(iipsrv_query(name, task.request, resolution))
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
                answer = await send_request(self._socket, _parameters("IIIF=none/info.json"))
        except (OSError, TimeoutError, BrokenExchange) as error:
            raise Unavailable(f"no answer ({type(error).__name__})") from error
        status = answer.headers.get("status", "200")
        if not status.startswith("404"):
            raise Unavailable(f"iipsrv answers {status}")


def _parameters(query: str) -> dict[str, str]:
    return {"REQUEST_METHOD": "GET", "QUERY_STRING": query, "HTTP_HOST": "iipsrv"}


def supports_task(pyramid: OpenPyramid, task: RenderTask) -> bool:
    """Return True if iipsrv can render a task: a JPEG of 8-bit gray or colour, not bitonal.

    It finds levels only where they are pages: a pyramid in sub-images is one level to it. Its
    threshold of black and white is that of the smallest level, libvips' that of the image. It sees
    no file that is in the gateway's memory because the disk cannot be written.
    """
    level, request = task.level, task.request
    return (
        request.format == "jpg"
        and request.quality != "bitonal"
        and level.bits == _SAMPLE_BITS
        and level.samples in _BANDS
        and level.contiguous
        and pyramid.levels_are_pages
        and not pyramid.file.is_in_memory
    )


def iipsrv_query(name: str, request: ResolvedRequest, resolution: int) -> str:
    """Return the query for a request in iipsrv's syntax: numbers only, inside the image.

    `resolution` is the level to read, counted from the smallest.
    """
    box, mirror = request.region, "!" if request.rotation.mirrored else ""
    return (
        f"RES={resolution}&IIIF={name}/{box.x},{box.y},{box.width},{box.height}"
        f"/{request.width},{request.height}"
        f"/{mirror}{int(request.rotation.degrees)}/{request.quality}.jpg"
    )


def locate_reading(request: ResolvedRequest, number: int, level: Size) -> Box:
    """Return the pixels of level `number` in whose tiles iipsrv stays.

    Its filters see no tile that the region does not touch. A level that was rounded down may end
    before the region does, or even before it begins: its last pixels are read then.
    """
    x, width = _locate_axis(request.region.x, request.region.width, number, level.width)
    y, height = _locate_axis(request.region.y, request.region.height, number, level.height)
    return Box(x, y, width, height)


def _locate_axis(start: int, length: int, number: int, stored: int) -> tuple[int, int]:
    """Return first pixel and number of pixels of a level that has `stored` of them."""
    first = min(start >> number, stored - 1)
    stop = min(-(-(start + length) >> number), stored)
    return first, max(stop - first, 1)
