"""The cost of an answer, known before anything is done for it: arithmetic on the record alone.

What counts is the request, and not who sends it. A stored tile takes one read, a derivative that
nginx keeps less; one request for all of a large image that nobody looked at lately can take seconds
of a core and a hundred megabytes from S3. So each answer has a lane by its cost (ADR 0026).
"""

import math
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from vitrine.costs.prices import price
from vitrine.deliver.blocks.runs import BLOCK_BYTES, RUN_BLOCKS
from vitrine.deliver.render.choice import MAX_MEDIUM_WORK
from vitrine.deliver.render.geometry import plan_request
from vitrine.deliver.render.pool import SLACK_SECONDS
from vitrine.deliver.render.task import estimate_work
from vitrine.iiif.presentation.whole_object import choose_level, estimate_page_bytes
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live

FETCHED_BYTES_PER_SECOND = 50e6
"""Assumed of S3, by all reads of one render together; budgets learn what it really is."""
CUTTING_WORK = 1.2
"""Work of one pixel that is cut from coefficients, in decoded pixels (ADR 0029)."""
OPENING_BYTES = 2 * BLOCK_BYTES
"""The first read of an access master (`vitrine.deliver.blocks.cache`)."""
COLD_TILE_BYTES = OPENING_BYTES + 3 * BLOCK_BYTES
"""The first tile of an image that is not open, at most: a block of a long index, two of the tile.
Tiles are never refused; nor is a small render that needs no more, such as the thumbnails of viewers
that choose sizes of their own."""
_PRICED_IN = "us-east-1"
"""Region of the list prices: dollars weigh requests against each other, and no bill."""


class Lane(StrEnum):
    """What an answer takes, from least to most."""

    STORED = "stored"
    """A tile as it is stored."""
    CACHED = "cached"
    """A derivative that nginx is asked for first."""
    CHEAP = "cheap"
    """A render of milliseconds, of bytes that are on disk."""
    COLD = "cold"
    """The same, of bytes that are in S3 only."""
    LARGE = "large"
    """A render of more than 40 ms of a core, wherever its bytes are."""
    DOWNLOAD = "download"
    """A whole image at full resolution, strip by strip, or a page of a whole object."""


class ClientStanding(StrEnum):
    """Kind of client, as far as the edge can know (`vitrine.deliver.answer.signals`)."""

    CRAWLER = "crawler"
    """The firewall has a name for it (AWS WAF Bot Control)."""
    OWN = "own"
    """Somebody on a page of the institution."""
    UNKNOWN = "unknown"
    """Anybody else: a viewer elsewhere, a program, a swarm."""


class GivesWay(IntEnum):
    """When a request gives way under pressure."""

    FIRST = 1
    """Sizes of cold images that info.json does not list."""
    SECOND = 2
    """Large ones of cold images."""
    THIRD = 3
    """Large ones."""
    NEVER = 4
    """Tiles, the sizes that info.json lists, and what is as cheap as these."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one answer."""

    lane: Lane
    work: float = 0.0
    """Decoded pixels, as `RenderTask.work` counts them."""
    fetched_bytes: int = 0
    """Bytes that have to come from S3."""
    is_listed: bool = False
    """True if info.json lists the size."""
    standing: ClientStanding = ClientStanding.UNKNOWN

    @property
    def seconds(self) -> float:
        """Estimated seconds with one core and S3 to itself."""
        return self.work_seconds + self.fetched_bytes / FETCHED_BYTES_PER_SECOND

    @property
    def work_seconds(self) -> float:
        """Estimated seconds of one core."""
        return self.work * SLACK_SECONDS

    @property
    def reads(self) -> int:
        """Least number of GET requests to S3."""
        return math.ceil(self.fetched_bytes / (RUN_BLOCKS * BLOCK_BYTES))

    @property
    def usd(self) -> float:
        """List price of the core's time and of the requests to S3."""
        core_second, read = _read_prices()
        return self.work_seconds * core_second + self.reads * read

    @property
    def gives_way(self) -> GivesWay:
        """When this request is refused under pressure: a crawler's first, those of own pages later.

        What is never refused is never refused to anybody.
        """
        if self.is_listed or self.lane not in (Lane.COLD, Lane.LARGE):
            return GivesWay.NEVER
        if self.lane is Lane.COLD:
            if self.fetched_bytes <= COLD_TILE_BYTES:
                return GivesWay.NEVER
            turn = GivesWay.FIRST
        else:
            turn = GivesWay.SECOND if self.fetched_bytes else GivesWay.THIRD
        if self.standing is ClientStanding.CRAWLER:
            return GivesWay.FIRST
        return (
            min(GivesWay(turn + 1), GivesWay.THIRD) if self.standing is ClientStanding.OWN else turn
        )


class _Size(NamedTuple):
    width: int
    height: int


def price_derivative(
    image: Live,
    request: ResolvedRequest,
    missing_bytes: int | None,
    standing: ClientStanding = ClientStanding.UNKNOWN,
) -> Cost:
    """Return the cost of a derivative; `missing_bytes` is None if the image has to be opened."""
    listed = is_listed(image, request)
    plan = plan_request([_Size(*size) for size in image.levels], request)
    fetched = missing_bytes
    if fetched is None:
        # As if all pixels of the access master took as many bytes.
        covered = plan.covered_pixels(image.levels[plan.level], image.tile_width, image.tile_height)
        stored = sum(across * down for across, down in image.levels)
        fetched = OPENING_BYTES + round(image.access_master_bytes * covered / stored)
    work = estimate_work(request, plan)
    lane = Lane.COLD if fetched else Lane.CHEAP
    if work > MAX_MEDIUM_WORK:
        lane = Lane.LARGE
    return Cost(lane, work, fetched, listed, standing)


def price_download(image: Live) -> Cost:
    """Return the cost of a whole image at full resolution, none of which is on disk."""
    stored = sum(across * down for across, down in image.levels)
    pixels = image.width * image.height
    fetched = OPENING_BYTES + round(image.access_master_bytes * pixels / stored)
    return Cost(Lane.DOWNLOAD, pixels * CUTTING_WORK, fetched)


def price_page(image: Live) -> Cost:
    """Return the cost of an image in a PDF, of which one level is cut."""
    across, down = image.levels[choose_level(image)]
    fetched = OPENING_BYTES + estimate_page_bytes(image)
    return Cost(Lane.DOWNLOAD, across * down * CUTTING_WORK, fetched)


def is_listed(image: Live, request: ResolvedRequest) -> bool:
    """Return True if this is the whole image as a JPEG in the size of a level, as info.json lists.

    It lists none that `max` would not be, of very long images; those count here as well.
    """
    region, rotation = request.region, request.rotation
    is_whole = (region.width, region.height) == (image.width, image.height)
    is_plain = (request.quality, request.format) == ("default", "jpg")
    if not (is_whole and is_plain) or rotation.degrees or rotation.mirrored:
        return False
    return (request.width, request.height) in image.levels


@lru_cache(1)
def _read_prices() -> tuple[float, float]:
    """Return USD for a second of a core, and for a GET request to S3."""
    core_hour = price("Fargate x86_64, vCPU-hour", _PRICED_IN).usd
    return core_hour / 3600, price("S3, thousand GET", _PRICED_IN).usd / 1e3
