"""Derivatives, all images that have to be rendered: priced first, then each in its lane and at its
turn. nginx keeps small ones, by their names (`derivative_cache`) or addresses (`address_cache`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from vitrine.deliver.answer.address_cache import keep_by_address
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import Cost, Lane, price_derivative
from vitrine.deliver.answer.derivative_cache import (
    cache_life,
    is_cacheable,
    max_kept_bytes,
    redirect_to_cache,
)
from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.render_queue import RenderQueue
from vitrine.deliver.answer.signals import parse_sites, read_standing
from vitrine.deliver.answer.viewer import identify_viewer
from vitrine.deliver.blocks.read_slots import Urgency, reading_for
from vitrine.deliver.http.exchange import Headers, Request, Response
from vitrine.deliver.metrics.counters import Counters
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings

LARGE_RENDERS_PER_CORE = 2
"""Large renders that are begun: as many as the pools have threads, so that none of them idles while
another render fetches its blocks."""
THUMBNAIL_SIDE = 512
"""Pixels: what lists and search results show."""


@dataclass(frozen=True)
class Derivative:
    """Any image that is no stored tile: it has to be rendered."""

    image: Live
    """As it is shown."""
    resolved: ResolvedRequest
    """In pixels of the image as it is shown."""
    stored: Live
    """The image as its record has it."""
    stored_request: ResolvedRequest
    """In pixels of the stored image."""

    @property
    def kind(self) -> str:
        """Word of the metrics for what was requested."""
        side = max(self.resolved.width, self.resolved.height)
        return "thumbnail" if side <= THUMBNAIL_SIDE else "render"


class DerivativeImages(Protocol):
    """What makes derivatives (`vitrine.deliver.answer.images`)."""

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        """Return the bytes that have to be fetched; None if the image is not open."""
        ...

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        """Return an encoded image of the requested size. Raises Unavailable."""
        ...


class Derivatives:
    """Answers with derivatives. Belongs to one event loop."""

    def __init__(
        self,
        images: DerivativeImages,
        *,
        settings: DeliverSettings,
        disk: DerivativeDisk,
        budgets: Budgets,
        counters: Counters,
    ) -> None:
        self._images = images
        self._own_sites = parse_sites(settings.own_sites)
        self._has_cache = settings.derivative_cache_mebibytes > 0
        self._disk = disk
        self._budgets = budgets
        self._counters = counters
        # Large ones of the sizes that info.json lists wait for each other only.
        self._listed = RenderQueue(LARGE_RENDERS_PER_CORE * settings.render_cores)
        self._others = RenderQueue(LARGE_RENDERS_PER_CORE * settings.render_cores)

    async def respond(
        self,
        request: Request,
        derivative: Derivative,
        made: Headers,
        name: str,
        seconds_by_address: Callable[[Live, int], int],
    ) -> Response:
        """Return the image with the headers that were `made`, or what sends nginx to its cache.

        `name` is that of the derivative there; empty: it is not to be kept. `seconds_by_address`
        says for how long it may be kept under the address that was requested, by its size in bytes.
        Raises Unavailable.
        """
        if self._has_cache and name:
            seconds = seconds_by_address(derivative.image, 0)
            return await self._respond_through_cache(request, derivative, made, name, seconds)
        body = await self.make(request, derivative.stored, derivative.stored_request)
        kept = keep_by_address(seconds_by_address(derivative.image, len(body)))
        return Response(status=200, headers=made + kept, body=body)

    async def _respond_through_cache(
        self, request: Request, derivative: Derivative, made: Headers, name: str, seconds: int
    ) -> Response:
        is_kept = self._disk.is_writable()
        if is_kept and (redirect := redirect_to_cache(request, name, seconds)):
            self._counters.count("derivative_cache_total", result="sent")
            self._budgets.count(Cost(Lane.CACHED))
            return redirect
        if is_kept:
            self._counters.count("derivative_cache_total", result="missed")
        body = await self.make(request, derivative.stored, derivative.stored_request)
        is_kept = is_kept and len(body) <= max_kept_bytes(derivative.resolved)
        life = cache_life(request, name if is_kept else "")
        return Response(status=200, headers=made + life, body=body)

    async def make(self, request: Request, image: Live, resolved: ResolvedRequest) -> bytes:
        """Return an encoded image of the requested size. Raises Unavailable."""
        work = f"{image.access_master_key} {resolved.canonical}"
        missing = self._images.missing_bytes(image, resolved)
        standing = read_standing(request, self._own_sites)
        cost = price_derivative(image, resolved, missing, standing)
        urgency = Urgency.LARGE if cost.lane is Lane.LARGE else Urgency.SMALL
        with self._budgets.admission(work, cost), reading_for(urgency):
            if is_cacheable(resolved):
                return await self._images.derivative(image, resolved)
            turns = self._listed if cost.is_listed else self._others
            async with turns.turn(identify_viewer(request), work):
                return await self._images.derivative(image, resolved)
