"""What a request wants of the service: under which identity, how many bytes, which blocks of the
access master, how much of a core."""

from dataclasses import dataclass, field
from typing import NamedTuple

from capacity.engine.clock import MILLISECOND
from capacity.model.cost_profile import CLASSES, INFO, LARGE, SMALL, TILE, Profile
from capacity.model.design import Design
from loadtest.workload.catalogue import MEGA, Image
from loadtest.workload.target import Target
from vitrine.deliver.blocks.runs import BLOCK_BYTES, BLOCK_SHIFT

LARGEST_MEDIUM_WORK, LARGEST_LARGE_WORK = 6.0, 24.0
"""Megapixels of work; more goes to the pools of large and of huge renders. As in
`vitrine.deliver.render.choice`."""
JPEG_WORK = 1.5
"""Of encoding a pixel, in decoded ones; from the same table."""
LARGEST_SMALL_PIXELS = 500_000
"""Of a result: larger ones are libvips's."""
LARGEST_THUMBNAIL_PIXELS, LARGEST_THUMBNAIL_TILES = 200 * 200, 2
"""Of a result, and of stored tiles that it is made from; as `vitrine.deliver.render.planes`."""
AT_ONCE, MEDIUM, LARGE_TURN, HUGE = range(4)
"""Who makes it: the event loop, or one of the three pools of `vitrine.deliver.render.rendering`."""
_HEAD_BYTES = 2_000
_INDEX_BYTES = 12
"""Of a tile: where it lies, and how long it is."""
_SIDE_BITS, _SIZE_BITS = 20, 16
_INFO_CLASS, _TILE_CLASS, _SMALL_CLASS, _LARGE_CLASS = map(
    CLASSES.index, (INFO, TILE, SMALL, LARGE)
)


class RequestDemand(NamedTuple):
    """One request as the service sees it; two with the same `key` want the same answer."""

    key: int
    kind: int
    """Index into CLASSES."""
    image: int
    bytes: int
    demand: float
    """Of a core, in nanoseconds, without variation."""
    pool: int
    work: float
    """Megapixels, of what is rendered; of the rest 0."""
    target: Target


@dataclass(frozen=True)
class Layout:
    """Where the levels of an access master lie: its head, then the smallest level first."""

    image: Image
    starts: tuple[int, ...]
    """Byte at which each level begins, from full resolution down."""
    tile_bytes: tuple[float, ...]
    """Mean length of a stored tile of each."""
    bytes: int
    _tiles: dict[tuple[tuple[int, int, int, int], int], list[range]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Blocks of tiles asked for, by region and width: the same for all images of a size."""

    @property
    def blocks(self) -> int:
        """The blocks of the whole file."""
        return -(-self.bytes // BLOCK_BYTES)

    def blocks_of(self, target: Target) -> list[range]:
        """Blocks that hold the stored tiles from which the target is made, in ascending runs."""
        if not target.kind.endswith(TILE):
            return self._blocks_of(target)
        key = target.region, target.width
        blocks = self._tiles.get(key)
        if blocks is None:
            blocks = self._tiles[key] = self._blocks_of(target)
        return blocks

    def _blocks_of(self, target: Target) -> list[range]:
        level = level_of(target)
        x, y, width, height = target.region
        across, down = self.image.tile_width << level, self.image.tile_height << level
        columns, _ = self.image.grids[level]
        first, last = x // across, min((x + width - 1) // across, columns - 1)
        top, bottom = y // down, (y + height - 1) // down
        if top == bottom or last - first + 1 == columns:
            return [self._run(level, top * columns + first, bottom * columns + last)]
        rows = (row * columns for row in range(top, bottom + 1))
        runs = [self._run(level, row + first, row + last) for row in rows]
        joined = runs[:1]
        for run in runs[1:]:
            if run.start <= joined[-1].stop:
                joined[-1] = range(joined[-1].start, run.stop)
            else:
                joined.append(run)
        return joined

    def _run(self, level: int, first: int, last: int) -> range:
        start, each = self.starts[level], self.tile_bytes[level]
        begin, end = int(start + first * each), int(start + (last + 1) * each) - 1
        return range(begin >> BLOCK_SHIFT, (max(begin, end) >> BLOCK_SHIFT) + 1)


def level_of(target: Target) -> int:
    """Return the level a target is made from: the smallest that is no smaller than the answer."""
    image = target.image
    assert image
    _, _, width, height = target.region
    if target.kind.endswith(TILE):
        # Sides are rounded up, so the true factor is at least as large as the quotient.
        factor = max(-(-width // target.width), -(-height // target.height))
        return min((factor - 1).bit_length(), len(image.levels) - 1)
    shrink = min(width / target.width, height / target.height)
    return min(max(int(shrink).bit_length() - 1, 0), len(image.levels) - 1)


class Reader:
    """Reads targets for a profile and a design."""

    def __init__(self, profile: Profile, design: Design) -> None:
        self._profile = profile
        self._tile_ms = profile.tile_ms if design.pass_through else profile.decoded_tile_ms
        self._layouts: dict[tuple[int, int], Layout] = {}

    def read(self, target: Target) -> RequestDemand:
        """Return the demand of a target."""
        image = target.image
        assert image
        number, profile = int(image.identifier), self._profile
        if not target.width:
            size = int(profile.of_info)
            demand = profile.info_ms * MILLISECOND
            return RequestDemand(number, _INFO_CLASS, number, size, demand, AT_ONCE, 0.0, target)
        pixels, key = target.width * target.height, _key(number, image, target)
        if target.kind.endswith(TILE):
            size = int(pixels * profile.stored_per_pixel + profile.of_answer)
            demand = self._tile_ms * MILLISECOND
            return RequestDemand(key, _TILE_CLASS, number, size, demand, AT_ONCE, 0.0, target)
        size = int(pixels * profile.made_per_pixel + profile.of_answer)
        work = work_of(target)
        kind = _SMALL_CLASS if work <= LARGEST_MEDIUM_WORK else _LARGE_CLASS
        demand = self._milliseconds(work, pixels) * MILLISECOND
        return RequestDemand(
            key, kind, number, size, demand, _pool(target, pixels, work), work, target
        )

    def _milliseconds(self, work: float, pixels: int) -> float:
        profile = self._profile
        if pixels <= LARGEST_SMALL_PIXELS:
            return profile.small_ms + profile.small_ms_per_megapixel * work
        return profile.large_ms + profile.large_ms_per_megapixel * work

    def layout(self, image: Image) -> Layout:
        """Return the layout of its access master, which all images of its size share."""
        size = image.width, image.height
        if size not in self._layouts:
            self._layouts[size] = _layout(image, self._profile.stored_per_pixel)
        return self._layouts[size]


def _pool(target: Target, pixels: int, work: float) -> int:
    if work > LARGEST_LARGE_WORK:
        return HUGE
    if work > LARGEST_MEDIUM_WORK:
        return LARGE_TURN
    at_once = pixels <= LARGEST_THUMBNAIL_PIXELS and _tiles(target) <= LARGEST_THUMBNAIL_TILES
    return AT_ONCE if at_once else MEDIUM


def _tiles(target: Target) -> int:
    """Return how many stored tiles a target is made from."""
    image, level = target.image, level_of(target)
    assert image
    x, y, width, height = target.region
    across, down = image.tile_width << level, image.tile_height << level
    columns = (x + width - 1) // across - x // across + 1
    return int(columns * ((y + height - 1) // down - y // down + 1))


def _layout(image: Image, bytes_per_pixel: float) -> Layout:
    tiles = sum(columns * rows for columns, rows in image.grids)
    place = _HEAD_BYTES + _INDEX_BYTES * tiles
    starts, means = [], []
    for level in reversed(range(len(image.levels))):
        (width, height), (columns, rows) = image.levels[level], image.grids[level]
        stored = width * height * bytes_per_pixel
        starts.append(place)
        means.append(stored / (columns * rows))
        place += int(stored)
    return Layout(image, tuple(reversed(starts)), tuple(reversed(means)), place)


def identify_answer(target: Target) -> int:
    """Return the identity of the answer to a target, the `key` of its demand."""
    image = target.image
    assert image
    number = int(image.identifier)
    return _key(number, image, target) if target.width else number


def _key(number: int, image: Image, target: Target) -> int:
    """Identity of an answer: two addresses have the same one when they name the same region and
    the same size, however they are spelt."""
    x, y, width, height = target.region
    if width == image.width and height == image.height:
        return (number << _SIZE_BITS | target.width) << _SIZE_BITS | target.height
    key = number << 1 | 1
    for side in (x, y, width, height, target.width, target.height):
        key = key << _SIDE_BITS | side
    return key


def work_of(target: Target) -> float:
    """Megapixels of work of a derivative: pixels decoded, and 1.5 for each encoded."""
    _, _, width, height = target.region
    level = level_of(target)
    decoded = (width >> level) * (height >> level)
    return (decoded + JPEG_WORK * target.width * target.height) / MEGA
