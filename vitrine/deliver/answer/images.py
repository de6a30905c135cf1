"""The bytes of tiles and derivatives, made from opened pyramids."""

import asyncio
from contextlib import suppress
from dataclasses import replace

from vitrine.deliver.answer.embedding import Embedding
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.pyramids import Pyramids
from vitrine.deliver.render.geometry import plan_request
from vitrine.deliver.render.jxl_codec import UnsupportedJpeg
from vitrine.deliver.render.rendering import Rendering
from vitrine.deliver.single_flight import SharedFlight
from vitrine.deliver.tiles.assembly import Pieces
from vitrine.deliver.tiles.crop import crop
from vitrine.deliver.tiles.pass_through import PassThrough
from vitrine.deliver.tiles.position import TilePosition, tile_position
from vitrine.errors import Unavailable
from vitrine.iiif.format import JPEG, JPEG_XL
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


class Images:
    """Passes tiles through and has other images rendered. Belongs to one event loop."""

    def __init__(
        self,
        *,
        pyramids: Pyramids,
        tiles: PassThrough,
        rendering: Rendering,
        embedding: Embedding,
        counters: Counters | None = None,
    ) -> None:
        self._counters = counters or Counters()
        self._pyramids = pyramids
        self._tiles = tiles
        self._rendering = rendering
        self._embedding = embedding
        self._renders: SharedFlight[bytes] = SharedFlight()

    def tile_now(self, image: Live, position: TilePosition) -> Pieces | None:
        """Return a tile as the pieces of a JPEG if it needs no fetch and no wait, else None."""
        pyramid = self._pyramids.ready(image)
        return self._tiles.peek(pyramid, position) if pyramid else None

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        """Return the bytes of a derivative's tiles that are not on disk; None if it is not open.

        0 too if it cannot be known, because an index makes no sense: the render says so.
        """
        pyramid = self._pyramids.ready(image)
        if pyramid is None:
            return None
        plan = plan_request(pyramid.levels, request)
        try:
            tiles = pyramid.levels[plan.level].tile_ranges(plan.box)
        except Unavailable:
            return 0
        return pyramid.file.missing_bytes(tiles.values())

    async def tile(self, image: Live, request: ResolvedRequest, position: TilePosition) -> bytes:
        """Return a tile as a JPEG, rendered if browsers cannot read its stored form.

        Raises Unavailable.
        """

        async def work(pyramid: OpenPyramid) -> bytes:
            if body := await self._tiles.tile(pyramid, position):
                self._counters.count("tiles_total", way="passed_through")
                return body
            self._counters.count("tiles_total", way="rendered")
            return await self._render_image(image, pyramid, request)

        return await self._pyramids.use(image, work)

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        """Return any other image; simultaneous requests for it share one render.

        Raises Unavailable.
        """
        if made := self._make_at_once(image, request):
            return made
        key = f"{image.access_master_key} {request.version.number} {request.canonical}"
        return await self._renders.run(
            key,
            lambda: self._pyramids.use(
                image, lambda pyramid: self._render_image(image, pyramid, request)
            ),
        )

    def _make_at_once(self, image: Live, request: ResolvedRequest) -> bytes | None:
        """Return a thumbnail if it needs no fetch and no wait, else None."""
        pyramid = self._pyramids.ready(image)
        if pyramid is None or not self._embedding.is_ready(pyramid):
            return None
        body = self._rendering.render_at_once(pyramid, request)
        return body and self._embedding.embed_at_once(pyramid, body, request.format)

    async def _render_image(
        self, image: Live, pyramid: OpenPyramid, request: ResolvedRequest
    ) -> bytes:
        if request.format == JPEG_XL.name:
            return await self._pack_jxl(image, pyramid, request)
        body = await self._rendering.render(image, pyramid, request)
        return await self._embedding.embed(pyramid, body, request.format)

    async def _pack_jxl(self, image: Live, pyramid: OpenPyramid, request: ResolvedRequest) -> bytes:
        """Return a JPEG XL with the coefficients of a stored tile, or of a rendered JPEG."""
        as_jpeg = replace(request, format=JPEG.name)
        position = tile_position(image, as_jpeg)
        if position and (stored := await self._tiles.tile(pyramid, position)):
            with suppress(UnsupportedJpeg):
                return await self._rendering.pack(stored, request)
            # Tables that a tile does not use, as libvips' RGB has them, cannot be restored. They
            # are left out where its coefficients are written again.
            rewritten = await asyncio.to_thread(crop, stored, request.width, request.height)
            with suppress(UnsupportedJpeg):
                return await self._rendering.pack(rewritten or b"", request)
        jpeg = await self._render_image(image, pyramid, as_jpeg)
        return await self._rendering.pack(jpeg, request)
