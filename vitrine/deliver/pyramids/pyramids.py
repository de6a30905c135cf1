"""The opened pyramids that fit into memory."""

import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from vitrine.deliver.blocks.cache import BlockCache, CachedFile
from vitrine.deliver.pyramids.guess import HeadGuess
from vitrine.deliver.pyramids.head import read_head
from vitrine.deliver.pyramids.open_pyramid import TRIES, OpenPyramid
from vitrine.deliver.pyramids.pauses import Pauses
from vitrine.deliver.pyramids.quarantine import Quarantine
from vitrine.deliver.pyramids.reading import run_over_blocks
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import DamagedAccessMaster, Replaced, Unavailable
from vitrine.records import Live
from vitrine.store.tiff.entry import MalformedTiff

CAPACITY_BYTES = 64 << 20
"""Memory of the opened pyramids: 250 gigapixel images, or thousands of usual ones."""

_MAX_FAULTS = 1024

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Pyramids:
    """Opens pyramids once and keeps them open, closing the least recently used first.

    `capacity_bytes` bounds the memory of those kept. Belongs to one event loop.
    """

    def __init__(
        self,
        cache: BlockCache,
        *,
        capacity_bytes: int = CAPACITY_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cache = cache
        self._capacity = capacity_bytes
        self._memory = 0
        # Not a cachetools.LRUCache: its `get` runs in Python, and every tile passes `ready`.
        self._known: OrderedDict[str, OpenPyramid] = OrderedDict()
        self._pauses = Pauses(clock)
        self._quarantine = Quarantine(clock)
        self._faults: OrderedDict[str, str] = OrderedDict()
        """Why the access master of a key could not be opened the last time."""
        self._flights: SingleFlight[OpenPyramid] = SingleFlight()

    @property
    def memory_bytes(self) -> int:
        """Estimated memory of the pyramids kept open."""
        return self._memory

    def ready(self, image: Live) -> OpenPyramid | None:
        """Return the pyramid if it is open and was not found replaced in the store."""
        key = image.access_master_key
        pyramid = self._known.get(key)
        if pyramid is None or pyramid.file.replaced:
            return None
        if pyramid.image is not image:
            if pyramid.image != image:
                return None
            pyramid.image = image  # the next comparison is by identity again
        self._known.move_to_end(key)
        return pyramid

    async def open(self, image: Live) -> OpenPyramid:
        """Return the pyramid, opened now if necessary: one of ours takes one read of the store.

        Raises Unavailable, also if the file is not a pyramid, or not the one of the record.
        """
        return self.ready(image) or await self._flights.run(
            f"{image.access_master_key}\n{image.published_at}", lambda: self._open_pyramid(image)
        )

    async def use(self, image: Live, work: Callable[[OpenPyramid], Awaitable[T]]) -> T:
        """Return the result of `work`; it runs again on the new pyramid if the old was replaced.

        It also runs again if bytes made no sense: the index that led to them is fetched again, less
        and less often. Raises what `work` does, and Unavailable.
        """
        key = image.access_master_key
        for _ in range(2):
            pyramid = await self.open(image)
            try:
                return await work(pyramid)
            except Replaced:
                logger.info("%s was replaced while it was in use", key)
            except DamagedAccessMaster as error:
                if not self._pauses.allow(key):
                    raise
                logger.error("The access master %s is read again: %s", key, error)
                self._pauses.lengthen(key)
                self._close_pyramid(pyramid)
        raise Unavailable("the image is being replaced, or its access master is damaged")

    async def _open_pyramid(self, image: Live) -> OpenPyramid:
        key, fault = image.access_master_key, ""
        if key in self._faults and not self._pauses.allow(key):
            raise DamagedAccessMaster(self._faults[key])
        for _ in range(TRIES):
            file = await self._cache.file(key)
            try:
                pyramid = await self._read_pyramid(image, file)
                _check_record(image, pyramid)
            except Replaced:
                continue
            except (MalformedTiff, OtherPyramid, DamagedAccessMaster) as error:
                logger.error("The access master %s cannot be read: %s", key, error)
                fault = f"the access master cannot be read: {error}"
                # It may have been damaged on the way, its size included: it is opened again.
                file.mark_replaced()
                continue
            if self._faults.pop(key, None):
                self._pauses.end(key)
            file.keep(pyramid.kept_ranges())
            self._remember_pyramid(pyramid)
            return pyramid
        if not fault:
            raise Unavailable("the image is being replaced")
        self._note_fault(key, fault)
        raise DamagedAccessMaster(fault)

    def _note_fault(self, key: str, fault: str) -> None:
        self._pauses.lengthen(key)
        self._faults[key] = fault
        if len(self._faults) > _MAX_FAULTS:
            self._faults.popitem(last=False)

    def _close_pyramid(self, pyramid: OpenPyramid) -> None:
        """Forget a pyramid and the bytes of its head, so that the next use fetches them.

        If its size is not the one that was published, the whole object may have been cut short.
        """
        if pyramid.file.size != pyramid.image.access_master_bytes:
            pyramid.file.mark_replaced()
        for offset, length in pyramid.head_ranges:
            pyramid.file.forget(offset, length)
        key = pyramid.image.access_master_key
        if self._known.get(key) is pyramid:
            del self._known[key]
            self._memory -= pyramid.memory_bytes

    async def _read_pyramid(self, image: Live, file: CachedFile) -> OpenPyramid:
        guess = HeadGuess(image, file.size)
        head = await run_over_blocks(file, lambda read: read_head(read, file.size), guess.ranges)
        return OpenPyramid(image, file, head, self._quarantine)

    def _remember_pyramid(self, pyramid: OpenPyramid) -> None:
        key = pyramid.image.access_master_key
        before = self._known.pop(key, None)
        self._known[key] = pyramid
        self._memory += pyramid.memory_bytes - (before.memory_bytes if before else 0)
        while self._memory > self._capacity and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._memory -= oldest.memory_bytes


class OtherPyramid(Exception):
    """The record describes another pyramid than the file is: tiles would be mixed up."""


def _check_record(image: Live, pyramid: OpenPyramid) -> None:
    """Raise OtherPyramid unless the record has the levels and tiles of the file."""
    published = [(*size, image.tile_width, image.tile_height) for size in image.levels]
    stored = [
        (level.width, level.height, level.tile_width, level.tile_height) for level in pyramid.levels
    ]
    if stored != published:
        raise OtherPyramid(
            f"it is not the one that was published: its levels are {stored}, not {published}"
        )
