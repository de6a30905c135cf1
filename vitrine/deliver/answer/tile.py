"""Tiles exactly as the pyramid stores them: at once if all is at hand, else once it is fetched."""

from dataclasses import dataclass
from typing import ClassVar

from vitrine.deliver.answer.address_cache import AddressCache
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import Cost, Lane
from vitrine.deliver.answer.images import Images
from vitrine.deliver.answer.lookup import RecordLookup
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.exchange import ReadyResponse, Request
from vitrine.deliver.http.headers import ImageHeaders
from vitrine.deliver.http.tile_heads import TileHeads
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.tiles.address import TileAddress
from vitrine.deliver.tiles.grid import TileGrids
from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import InvalidRequest
from vitrine.iiif.request import ResolvedRequest
from vitrine.iiif.size import Limits
from vitrine.records import Live


@dataclass(frozen=True)
class Tile:
    """A tile exactly as the pyramid stores it."""

    kind: ClassVar = "tile"
    """Word of the metrics for what was requested."""
    image: Live
    """As it is shown."""
    resolved: ResolvedRequest
    """In pixels of the image as it is shown."""
    stored: Live
    """The image as its record has it."""
    stored_request: ResolvedRequest
    """In pixels of the stored image."""
    position: TilePosition
    """Place in the stored pyramid."""


class Tiles:
    """Answers with stored tiles. Belongs to one event loop."""

    def __init__(
        self,
        lookup: RecordLookup,
        images: Images,
        image_headers: ImageHeaders,
        limits: Limits,
        *,
        public_base_url: str,
        address_cache: AddressCache,
        budgets: Budgets,
        counters: Counters,
    ) -> None:
        self._lookup = lookup
        self._images = images
        self._tile_heads = TileHeads(image_headers)
        self._grids = TileGrids(limits)
        self._public_base_url = public_base_url
        self._address_cache = address_cache
        self._budgets = budgets
        self._counters = counters

    def respond_now(self, request: Request, address: TileAddress) -> ReadyResponse | None:
        """Return a stored tile if it needs no wait: record, pyramid and bytes are at hand."""
        found = self._lookup.live_now(address.identifier)
        if found is None:
            return None
        image, seconds = found
        stored = self._grids.of(image).locate(address)
        pieces = self._images.tile_now(image, stored.position) if stored else None
        if stored is None or pieces is None:
            return None
        try:
            base = base_url(request, self._public_base_url)
        except InvalidRequest:
            return None
        self._counters.tiles_at_once += 1
        head = self._tile_heads.of(image, base, address.version, stored.canonical)
        size = sum(map(len, pieces))
        return ReadyResponse(head + self._address_cache.life(seconds, size), pieces)

    async def tile(self, tile: Tile) -> bytes:
        """Return the tile as a JPEG. Raises Unavailable."""
        self._budgets.count(Cost(Lane.STORED))
        return await self._images.tile(tile.stored, tile.stored_request, tile.position)
