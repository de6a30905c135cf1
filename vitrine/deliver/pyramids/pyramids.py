"""The opened pyramids that fit into memory."""

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
"""Memory of the opened pyramids: 250 gigapixel images, or thousands of usual ones."""

_MOST_MALFORMED = 1024

T = TypeVar("T")
logger = logging.getLogger(__name__)


class Pyramids:
    """Opens pyramids once and keeps them open, closing the least recently used first.

    `capacity_bytes` bounds the memory of those kept. Belongs to one event loop.
    """

    def __init__(self, cache: BlockCache, *, capacity_bytes: int = CAPACITY_BYTES) -> None:
        self._cache = cache
        self._capacity = capacity_bytes
        self._memory = 0
        # Not a cachetools.LRUCache: its `get` runs in Python, and every tile passes `ready`.
        self._known: OrderedDict[str, OpenPyramid] = OrderedDict()
        self._malformed: dict[str, str] = {}
        """ETags by key of objects that were fetched twice, and are malformed in the store."""
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
            f"{image.access_master_key}\n{image.published_at}", lambda: self._open(image)
        )

    async def use(self, image: Live, work: Callable[[OpenPyramid], Awaitable[T]]) -> T:
        """Return the result of `work`; it runs again on the new pyramid if the old was replaced.

        Raises what `work` does, and Unavailable.
        """
        for _ in range(2):
            try:
                return await work(await self.open(image))
            except Replaced:
                logger.info("%s was replaced while it was in use", image.access_master_key)
        raise Unavailable("the image is being replaced")

    async def _open(self, image: Live) -> OpenPyramid:
        for _ in range(2):
            file = await self._cache.file(image.access_master_key)
            try:
                pyramid = OpenPyramid(image, file, await self._load_head(image, file))
            except Replaced:
                continue
            _check_record(image, pyramid)
            file.keep(pyramid.kept_ranges())
            self._remember(pyramid)
            return pyramid
        raise Unavailable("the image is being replaced")

    async def _load_head(self, image: Live, file: CachedFile) -> Head:
        try:
            return await self._read_head(image, file)
        except MalformedTiff as error:
            logger.error("The access master %s cannot be read: %s", file.key, error)
            if self._malformed.get(file.key) == file.etag:
                raise _unreadable(error) from error
        # It may have been damaged on the way: each object is fetched again once.
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


def _check_record(image: Live, pyramid: OpenPyramid) -> None:
    """Raise Unavailable if the record describes another pyramid: tiles would be mixed up."""
    published = [(*size, image.tile_width, image.tile_height) for size in image.levels]
    stored = [
        (level.width, level.height, level.tile_width, level.tile_height) for level in pyramid.levels
    ]
    if stored != published:
        logger.error(
            "The access master %s has levels %s, but was published with %s",
            pyramid.file.key,
            stored,
            published,
        )
        raise Unavailable("the access master is not the one that was published")
