"""Answers that are whole images at full resolution, sent while they are made."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar, Protocol
from urllib.parse import quote

from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import price_download
from vitrine.deliver.download.strips import strip_height
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import respond_if_known
from vitrine.deliver.http.exchange import Headers, Request, Response
from vitrine.deliver.metrics.counters import Counters
from vitrine.errors import Overloaded, UnknownImage
from vitrine.iiif.format import JPEG
from vitrine.iiif.paths import DOWNLOAD
from vitrine.iiif.version import NEWEST
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings

RETRY_SECONDS = 60
"""Seconds until a client may come again if all slots are taken: a download takes minutes."""


@dataclass(frozen=True)
class Download:
    """The whole image at full resolution, however large."""

    kind: ClassVar = "download"
    """Word of the metrics for what was requested."""
    image: Live


class StreamedImages(Protocol):
    """What makes whole images (`vitrine.deliver.answer.whole_image`)."""

    def pieces(self, image: Live) -> AsyncGenerator[bytes]:
        """Yield a JPEG. Raises RequestError before the first piece, anything after it."""
        ...


class DownloadSlots:
    """The slots of downloads, a lane of their own. Belongs to one event loop."""

    def __init__(self, slots: int, counters: Counters) -> None:
        self._slots = slots
        self._counters = counters
        self._under_way = 0
        counters.watch("downloads_running", lambda: self._under_way)

    def check(self) -> None:
        """Raise UnknownImage if there are no slots at all."""
        if not self._slots:
            raise UnknownImage(
                "this service sends no whole images beyond maxArea, and no whole objects: ask for "
                "regions, or for a size that info.json allows"
            )

    async def stream(self, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """Yield the pieces of a file in one slot, free again however this ends.

        Raises Overloaded if all are taken, and what making the pieces raises.
        """
        async with aclosing(pieces):
            if self._under_way >= self._slots:
                self._counters.count("downloads_total", result="refused")
                raise Overloaded(
                    "as many whole images and objects are being downloaded as there is room for: "
                    "try again later",
                    RETRY_SECONDS,
                )
            self._under_way += 1
            result = "failed"
            try:
                async for piece in pieces:
                    yield piece
                result = "done"
            except (GeneratorExit, asyncio.CancelledError):
                result = "abandoned"
                raise
            finally:
                self._under_way -= 1
                self._counters.count("downloads_total", result=result)


class Downloads:
    """Answers with whole images. Belongs to one event loop."""

    def __init__(
        self,
        images: StreamedImages,
        image_headers: headers.ImageHeaders,
        *,
        settings: DeliverSettings,
        slots: DownloadSlots,
        budgets: Budgets,
    ) -> None:
        self._images = images
        self._image_headers = image_headers
        self._slots = slots
        self._public_base_url = settings.public_base_url
        self._budgets = budgets

    async def respond(self, request: Request, download: Download) -> Response:
        """Return the response, the first piece of it made. Raises RequestError."""
        base, image = base_url(request, self._public_base_url), download.image
        self._slots.check()
        strip_height(image)
        named = self._download_headers(image, base)
        if known := respond_if_known(request, named):
            return known
        if request.method == "HEAD":
            return Response(status=200, headers=named)
        pieces = self._slots.stream(self._stream_pieces(image))
        first = await anext(pieces)
        return Response(status=200, headers=named, body=first, rest=pieces)

    def _download_headers(self, image: Live, base: str) -> Headers:
        made = self._image_headers.at(image, JPEG.media_type, base, NEWEST, DOWNLOAD)
        return (
            *(item for item in made if item[0] != "cache-control"),
            # A purge may come while a cache still takes the bytes, and miss them.
            *headers.brief_life(),
            ("accept-ranges", "none"),
            ("content-disposition", disposition(image.identifier, "jpg")),
        )

    async def _stream_pieces(self, image: Live) -> AsyncGenerator[bytes]:
        self._budgets.count(price_download(image))
        async with aclosing(self._images.pieces(image)) as pieces:
            async for piece in pieces:
                yield piece


def disposition(identifier: str, suffix: str) -> str:
    """Return the Content-Disposition that saves a file under an identifier (RFC 6266)."""
    name = f"{identifier.replace('/', '-')}.{suffix}"
    plain = "".join(sign if sign.isalnum() or sign in "-._ " else "_" for sign in name)
    plain = plain.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
