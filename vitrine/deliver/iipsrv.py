"""The renderer of Debian's iipsrv 1.1, reached through nginx's private listener."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import aiohttp

from vitrine.errors import Unavailable
from vitrine.identify.record import Live
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest

_TRIES = 2
_RESPAWN_SECONDS = 0.1
_TIMEOUT = aiohttp.ClientTimeout(total=60, sock_connect=5)
_CHECK_TIMEOUT = aiohttp.ClientTimeout(total=5)

logger = logging.getLogger(__name__)


class Iipsrv:
    """Sends only requests that iipsrv survives, and believes only whole JPEGs."""

    def __init__(self, socket: Path, processes: int) -> None:
        self._socket = socket
        # One request each is rendered, one each is ready to follow; the others wait here.
        self._connections = 2 * processes
        self._session: aiohttp.ClientSession | None = None

    async def render(self, image: Live, path: Path, request: ResolvedRequest) -> bytes:
        """See Renderer. A process that dies is replaced at once, so one more try is made."""
        query = iipsrv_query(path.name, request, image.levels)
        for attempt in range(_TRIES):
            if attempt:
                await asyncio.sleep(_RESPAWN_SECONDS)
            try:
                return await self._ask(query)
            except (aiohttp.ClientError, TimeoutError, _NotAJpeg) as error:
                logger.warning("iipsrv: %r for %s", error, query)
        raise Unavailable("the image cannot be rendered now")

    async def _ask(self, query: str) -> bytes:
        async with self._client().get(f"http://iipsrv/?IIIF={query}") as response:
            body = await response.read()
            whole = body.startswith(b"\xff\xd8") and body.endswith(b"\xff\xd9")
            # Errors may come as 200 text/html.
            if response.status != 200 or response.content_type != "image/jpeg" or not whole:
                raise _NotAJpeg(f"{response.status} {response.content_type} {body[:80]!r}")
            return body

    async def check(self) -> None:
        """See Renderer. iipsrv answers an image that is not there with 404."""
        try:
            address = "http://iipsrv/?IIIF=none/info.json"
            async with self._client().get(address, timeout=_CHECK_TIMEOUT) as response:
                if response.status != 404:
                    raise Unavailable(f"iipsrv answers {response.status}")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unavailable(f"no answer ({type(error).__name__})") from error

    async def close(self) -> None:
        """See Renderer."""
        if self._session:
            await self._session.close()

    def _client(self) -> aiohttp.ClientSession:
        """Made on first use: it belongs to the running event loop."""
        if self._session is None:
            connector = aiohttp.UnixConnector(str(self._socket), limit=self._connections)
            self._session = aiohttp.ClientSession(connector=connector, timeout=_TIMEOUT)
        return self._session


class _NotAJpeg(Exception):
    """iipsrv answered with something else."""


def iipsrv_query(name: str, request: ResolvedRequest, levels: Sequence[tuple[int, int]]) -> str:
    """The request in iipsrv's words: numbers only, inside the image."""
    box = safe_region(request, levels)
    mirror = "!" if request.rotation.mirrored else ""
    return (
        f"{name}/{box.x},{box.y},{box.width},{box.height}/{request.width},{request.height}"
        f"/{mirror}{int(request.rotation.degrees)}/{request.quality}.jpg"
    )


def safe_region(request: ResolvedRequest, levels: Sequence[tuple[int, int]]) -> Box:
    """The region to ask of iipsrv 1.1, which reads it from a smaller level and may miss it there.

    A level's sides are rounded down, so the last pixels of the image can lie beyond its last
    pixel: 1.1 then renders from nothing and dies. The region's start is moved back to the last
    pixel of every level that may be read: by less than one pixel of the result.
    """
    x, y = request.region.x, request.region.y
    right, bottom = x + request.region.width, y + request.region.height
    while True:
        reduction = max((right - x) / request.width, (bottom - y) / request.height)
        before = x, y
        for number, (level_width, level_height) in enumerate(levels):
            if 2**number > reduction:
                break
            x = min(x, (level_width - 1) << number)
            y = min(y, (level_height - 1) << number)
        if (x, y) == before:
            return Box(x, y, right - x, bottom - y)
