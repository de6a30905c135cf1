"""Making of derivatives: priced first, then each in its lane and at its turn."""

from typing import Protocol

from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import Lane, price_derivative
from vitrine.deliver.answer.derivative_cache import is_cacheable
from vitrine.deliver.answer.render_queue import RenderQueue
from vitrine.deliver.answer.signals import read_standing
from vitrine.deliver.answer.viewer import identify_viewer
from vitrine.deliver.blocks.read_slots import Urgency, reading_for
from vitrine.deliver.http.exchange import Request
from vitrine.iiif.request import ResolvedRequest
from vitrine.iiif.size import Limits
from vitrine.records import Live

LARGE_RENDERS_PER_CORE = 2
"""Large renders that are begun: as many as the pools have threads, so that none of them idles while
another render fetches its blocks."""


class DerivativeImages(Protocol):
    """What makes derivatives (`vitrine.deliver.answer.images`)."""

    def missing_bytes(self, image: Live, request: ResolvedRequest) -> int | None:
        """Return the bytes that have to be fetched; None if the image is not open."""
        ...

    async def derivative(self, image: Live, request: ResolvedRequest) -> bytes:
        """Return an encoded image of the requested size. Raises Unavailable."""
        ...


class Derivatives:
    """Has derivatives made. Belongs to one event loop."""

    def __init__(
        self,
        images: DerivativeImages,
        budgets: Budgets,
        limits: Limits,
        *,
        cores: int,
        own_sites: frozenset[str] = frozenset(),
    ) -> None:
        """`own_sites` are host names of the institution's pages."""
        self._images = images
        self._budgets = budgets
        self._limits = limits
        self._own_sites = own_sites
        # Large ones of the sizes that info.json lists wait for each other only.
        self._listed = RenderQueue(LARGE_RENDERS_PER_CORE * cores)
        self._others = RenderQueue(LARGE_RENDERS_PER_CORE * cores)

    async def make(self, request: Request, image: Live, resolved: ResolvedRequest) -> bytes:
        """Return an encoded image of the requested size. Raises Unavailable."""
        work = f"{image.access_master_key} {resolved.canonical}"
        missing = self._images.missing_bytes(image, resolved)
        standing = read_standing(request, self._own_sites)
        cost = price_derivative(image, resolved, self._limits, missing, standing)
        urgency = Urgency.LARGE if cost.lane is Lane.LARGE else Urgency.SMALL
        with self._budgets.admission(work, cost), reading_for(urgency):
            if is_cacheable(resolved):
                return await self._images.derivative(image, resolved)
            turns = self._listed if cost.is_listed else self._others
            async with turns.turn(identify_viewer(request), work):
                return await self._images.derivative(image, resolved)
