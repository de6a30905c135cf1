"""The opened pyramids, as many as fit into memory."""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from vitrine.deliver.blocks.cache import BlockCache, CachedFile
from vitrine.deliver.pyramids.guess import HeadGuess
from vitrine.deliver.pyramids.head import Head, read_head
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.reading import run_over_blocks
from vitrine.deliver.single_flight import SingleFlight
from vitrine.errors import Replaced, Unavailable
from vitrine.records import Live
from vitrine.store.tiff.entry import MalformedTiff

CAPACITY_BYTES = 64 << 20
"""Of memory: 250 gigapixel images, or thousands of usual ones."""

_MOST_MALFORMED = 1024

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Pyramids:
    """Opens pyramids once and remembers them, the least recently used going first.

    `capacity_bytes` bounds the memory of those remembered. Belongs to one event loop.
    """

    def __init__(self, cache: BlockCache, *, capacity_bytes: int = CAPACITY_BYTES) -> None:
        self._cache = cache
        self._capacity = capacity_bytes
        self._memory = 0
        self._known: OrderedDict[str, OpenPyramid] = OrderedDict()
        self._malformed: dict[str, str] = {}
        """ETags by key: they were read twice, and are what they are."""
        self._flights: SingleFlight[OpenPyramid] = SingleFlight()

    @property
    def memory_bytes(self) -> int:
        """Memory of the remembered pyramids, roughly."""
        return self._memory

    def ready(self, image: Live) -> OpenPyramid | None:
        """The pyramid if it is open and, as far as we know, still the store's."""
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
        """The pyramid, opened now if need be: our own for one read of the store.

        Raises Unavailable, also for what is no pyramid or not that of the record.
        """
        return self.ready(image) or await self._flights.run(
            f"{image.access_master_key}\n{image.published_at}", lambda: self._open(image)
        )

    async def use(self, image: Live, work: Callable[[OpenPyramid], Awaitable[T]]) -> T:
        """What `work` makes of the pyramid, on the new one if it was replaced meanwhile.

        Raises what `work` does, and Unavailable.
        """
        for _ in range(2):
            try:
                return await work(await self.open(image))
            except Replaced:
                logger.info("%s: replaced while in use", image.access_master_key)
        raise Unavailable("the image is being replaced")

    async def _open(self, image: Live) -> OpenPyramid:
        for _ in range(2):
            file = await self._cache.file(image.access_master_key)
            try:
                pyramid = OpenPyramid(image, file, await self._head(image, file))
            except Replaced:
                continue
            _check(image, pyramid)
            file.keep(pyramid.kept_ranges())
            self._remember(pyramid)
            return pyramid
        raise Unavailable("the image is being replaced")

    async def _head(self, image: Live, file: CachedFile) -> Head:
        try:
            return await self._read_head(image, file)
        except MalformedTiff as error:
            logger.error("access master %s: %s", file.key, error)
            if self._malformed.get(file.key) == file.etag:
                raise _unreadable(error) from error
        # It may have been damaged on its way: once for each object, it is fetched anew.
        file.forget(0, file.size)
        try:
            return await self._read_head(image, file)
        except MalformedTiff as error:
            if len(self._malformed) >= _MOST_MALFORMED:
                self._malformed.clear()
            self._malformed[file.key] = file.etag
            raise _unreadable(error) from error

    async def _read_head(self, image: Live, file: CachedFile) -> Head:
        guess = HeadGuess(image, file.size)
        return await run_over_blocks(file, lambda read: read_head(read, file.size), guess.ranges)

    def _remember(self, pyramid: OpenPyramid) -> None:
        key = pyramid.image.access_master_key
        before = self._known.pop(key, None)
        self._known[key] = pyramid
        self._memory += pyramid.memory_bytes - (before.memory_bytes if before else 0)
        while self._memory > self._capacity and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._memory -= oldest.memory_bytes


def _unreadable(error: MalformedTiff) -> Unavailable:
    return Unavailable(f"the access master cannot be read: {error}")


def _check(image: Live, pyramid: OpenPyramid) -> None:
    """Raises Unavailable when the record is not of this pyramid: tiles would be mixed up."""
    published = [(*size, image.tile_width, image.tile_height) for size in image.levels]
    stored = [
        (level.width, level.height, level.tile_width, level.tile_height) for level in pyramid.levels
    ]
    if stored != published:
        logger.error("access master %s: %s, published as %s", pyramid.file.key, stored, published)
        raise Unavailable("the access master is not the one that was published")
