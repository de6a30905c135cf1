"""The renderer that is iipsrv 1.1 with our patches: processes that read the local file."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from vitrine.deliver.pyramids.level import TileRanges, join_ranges
from vitrine.deliver.pyramids.open_pyramid import TRIES, OpenPyramid
from vitrine.deliver.render.fastcgi import (
    BrokenExchange,
    WrongAnswer,
    encode_parameters,
    send_request,
)
from vitrine.deliver.render.geometry import LevelSize
from vitrine.deliver.render.poison import PoisonedRequests
from vitrine.deliver.render.pool import RenderPool
from vitrine.deliver.render.task import RenderTask
from vitrine.errors import DamagedAccessMaster, Unavailable
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.settings.deliver import ANSWER_SECONDS

SOCKET = "run/iipsrv.sock"
"""Socket on which `containers/iipsrv/start` listens, in the work directory."""
_TRIES = 2
_RESPAWN_SECONDS = 0.1
_PATIENCE_PER_PIXEL = 2e-7
"""Seconds for each decoded pixel: thirty times what it takes a core."""
SHARE_OF_ANSWER = 0.9
"""Share of the time for an answer that all tries together may take."""
_CHECK_SECONDS = 3.0
_SAMPLE_BITS = 8
_BANDS = (1, 3)

_DIED = "renderer-died"
_HUNG = "renderer-hung"
_UNREACHABLE = "renderer-unreachable"
_WRONG = "renderer-answered-wrong"
_POISONED = "poisoned-request"
_DAMAGED = "damaged-bytes"
_FIXED_PARAMETERS = encode_parameters({"REQUEST_METHOD": "GET", "HTTP_HOST": "iipsrv"})
_TILES_AT_ONCE = 32
"""A thread costs more than to look at as many: 0.2 ms."""

Report = Callable[[str, str], None]
"""Counts an event, and logs a message."""


class Iipsrv:
    """Sends only requests that iipsrv survives, and accepts only whole JPEGs (see Renderer).

    `socket` is the one that the processes share, `directory` their FILESYSTEM_PREFIX: the local
    files are below it.
    """

    def __init__(
        self,
        socket: Path,
        directory: Path,
        processes: int,
        report: Report = lambda event, message: None,
        patience_seconds: float = 15.0,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._socket = socket
        self._prefix = f"{directory}/"
        self._report = report
        self._poisoned = PoisonedRequests()
        self._patience_seconds = patience_seconds
        self._longest_patience_seconds = SHARE_OF_ANSWER * answer_seconds / _TRIES
        # Each process renders one request and has the next at hand; the others wait here.
        self._connections = asyncio.Semaphore(2 * processes)

    async def render(self, pyramid: OpenPyramid, task: RenderTask, pool: RenderPool) -> bytes:
        """Render, see Renderer. Raises PoisonedRequest for what killed its process twice lately."""
        number = task.plan.level
        resolution = len(pyramid.levels) - 1 - number
        image = pyramid.image
        name = f"{image.access_master_key} {image.version}"
        subject = iipsrv_query(name, task.request, resolution)
        self._poisoned.check(subject)
        tiles = task.level.tile_ranges(locate_reading(task.request, number, task.level))
        pyramid.check_quarantine(tiles.values())
        ranges = [*pyramid.head_ranges, *join_ranges(tiles.values())]
        damaged: list[tuple[int, int]] = []
        for _ in range(TRIES):
            async with pyramid.file.pinned(ranges) as path, pool.turn(task.memory_bytes, task.work):
                name = str(path).removeprefix(self._prefix)
                query = iipsrv_query(name, task.request, resolution)
                answer = await self._ask_processes(subject, query, self._patience_for(task))
                # iipsrv shows a tile that it cannot decode as gray, and calls that a success. So
                # what it read is judged, while it is still pinned.
                damaged = await _find_damaged(pyramid, path, number, tiles)
                if not damaged:
                    return self._judge_answer(subject, answer)
                self._report(_DAMAGED, f"{pyramid.file.key} is damaged at {damaged[0]}")
                pyramid.forget(damaged)
        await pyramid.hold_damaged(number, tiles, damaged)
        raise DamagedAccessMaster("the access master is damaged: it cannot be decoded")

    async def _ask_processes(self, subject: str, query: str, seconds: float) -> "bytes | list[str]":
        """Return the answer of the first process, or of another one if that dies or hangs.

        Returns how both failed if none answered. `subject` is the request by the image's own name:
        that of its file changes.
        """
        failures: list[str] = []
        async with self._connections:
            for _ in range(_TRIES):
                self._poisoned.check(subject)
                try:
                    return await self._send_request(query, seconds)
                except (OSError, BrokenExchange, WrongAnswer) as error:
                    failures.append(_name_failure(error))
                    self._report(failures[-1], f"iipsrv failed to render {subject}: {error!r}")
                if failures[-1] == _WRONG:
                    break  # any process would say the same
                if failures[-1] == _UNREACHABLE:
                    await asyncio.sleep(_RESPAWN_SECONDS)
        return failures

    def _judge_answer(self, subject: str, answer: "bytes | list[str]") -> bytes:
        """Return the answer to a request that read sound bytes. Raises Unavailable if none came."""
        if isinstance(answer, bytes):
            return answer
        if answer == [_DIED] * _TRIES:
            again = self._poisoned.remember(subject)
            self._report(
                _POISONED, f"{subject} killed iipsrv twice, and is not tried for {again:.0f} s"
            )
            self._poisoned.check(subject)
        raise Unavailable("the image cannot be rendered now")

    async def _send_request(self, query: str, seconds: float) -> bytes:
        answer = await send_request(self._socket, _encode_query(query), seconds)
        whole = answer.body.startswith(b"\xff\xd8") and answer.body.endswith(b"\xff\xd9")
        # Errors may come as text/html.
        if "status" in answer.headers or not whole:
            raise WrongAnswer(f"{answer.headers} {answer.body[:80]!r}")
        return answer.body

    def _patience_for(self, task: RenderTask) -> float:
        seconds = self._patience_seconds + task.work * _PATIENCE_PER_PIXEL
        return min(seconds, self._longest_patience_seconds)

    async def check(self) -> None:
        """Raise Unavailable unless iipsrv answers the request for an image that does not exist."""
        try:
            query = _encode_query("IIIF=none/info.json")
            answer = await send_request(self._socket, query, _CHECK_SECONDS)
        except (OSError, BrokenExchange, WrongAnswer) as error:
            raise Unavailable(f"no answer ({type(error).__name__})") from error
        status = answer.headers.get("status", "200")
        if not status.startswith("404"):
            raise Unavailable(f"iipsrv answers {status}")


async def _find_damaged(
    pyramid: OpenPyramid, path: Path, number: int, tiles: TileRanges
) -> list[tuple[int, int]]:
    """Return what is damaged of that which iipsrv may have read; many tiles take a thread."""
    if len(tiles) <= _TILES_AT_ONCE:
        return pyramid.find_damaged(path, number, tiles)
    return await asyncio.to_thread(pyramid.find_damaged, path, number, tiles)


def _name_failure(error: Exception) -> str:
    """Return the event of a failed request: only a death is held against the request itself."""
    if isinstance(error, WrongAnswer):
        return _WRONG
    if isinstance(error, TimeoutError):  # which is an OSError as well
        return _HUNG
    if isinstance(error, BrokenExchange | ConnectionResetError | BrokenPipeError):
        return _DIED
    return _UNREACHABLE


def _encode_query(query: str) -> bytes:
    return _FIXED_PARAMETERS + encode_parameters({"QUERY_STRING": query})


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


def locate_reading(request: ResolvedRequest, number: int, level: LevelSize) -> Box:
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
