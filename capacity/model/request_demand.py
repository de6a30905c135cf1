"""What a request wants of the service: under which identity, how many bytes, which blocks of the
access master, how much of a core."""

from dataclasses import dataclass, field
from typing import NamedTuple

from capacity.engine.clock import MILLISECOND
from capacity.model.cost_profile import CLASSES, INFO, LARGE, SMALL, TILE, CostProfile
from capacity.model.render_work import AT_ONCE, MAX_MEDIUM_WORK, level_of, pool_of, work_of
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target
from vitrine.deliver.blocks.runs import BLOCK_SHIFT

_HEAD_BYTES = 2_000
_INDEX_BYTES = 12
"""Bytes of a tile's entry in the index: its offset and its length."""
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
    """Work of a core, in nanoseconds, without variation."""
    pool: int
    work: float
    """Megapixels, of what is rendered; of the rest 0."""
    target: Target


@dataclass(frozen=True)
class BlockLayout:
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
            return [self._block_run(level, top * columns + first, bottom * columns + last)]
        rows = (row * columns for row in range(top, bottom + 1))
        runs = [self._block_run(level, row + first, row + last) for row in rows]
        joined = runs[:1]
        for run in runs[1:]:
            if run.start <= joined[-1].stop:
                joined[-1] = range(joined[-1].start, run.stop)
            else:
                joined.append(run)
        return joined

    def _block_run(self, level: int, first: int, last: int) -> range:
        start, each = self.starts[level], self.tile_bytes[level]
        begin, end = int(start + first * each), int(start + (last + 1) * each) - 1
        return range(begin >> BLOCK_SHIFT, (max(begin, end) >> BLOCK_SHIFT) + 1)


class Reader:
    """Reads targets for a profile."""

    def __init__(self, profile: CostProfile) -> None:
        self._profile = profile
        self._layouts: dict[tuple[int, int], BlockLayout] = {}

    def read(self, target: Target) -> RequestDemand:
        """Return the demand of a target."""
        image = target.image
        assert image
        number, profile = int(image.identifier), self._profile
        if not target.width:
            size = int(profile.of_info)
            demand = profile.info_ms * MILLISECOND
            return RequestDemand(number, _INFO_CLASS, number, size, demand, AT_ONCE, 0.0, target)
        pixels, key = target.width * target.height, _answer_key(number, image, target)
        if target.kind.endswith(TILE):
            size = int(pixels * profile.stored_per_pixel + profile.of_answer)
            demand = profile.tile_ms * MILLISECOND
            return RequestDemand(key, _TILE_CLASS, number, size, demand, AT_ONCE, 0.0, target)
        size = int(pixels * profile.made_per_pixel + profile.of_answer)
        work = work_of(target)
        kind = _SMALL_CLASS if work <= MAX_MEDIUM_WORK else _LARGE_CLASS
        pool = pool_of(target)
        demand = self._render_milliseconds(work, pool) * MILLISECOND
        return RequestDemand(key, kind, number, size, demand, pool, work, target)

    def _render_milliseconds(self, work: float, pool: int) -> float:
        """Return the CPU of a thumbnail made at once, or of iipsrv with what asking it costs."""
        profile = self._profile
        if pool == AT_ONCE:
            return profile.small_ms + profile.small_ms_per_megapixel * work
        return profile.large_ms + profile.large_ms_per_megapixel * work

    def layout(self, image: Image) -> BlockLayout:
        """Return the layout of its access master, which all images of its size share."""
        size = image.width, image.height
        if size not in self._layouts:
            self._layouts[size] = _lay_out(image, self._profile.stored_per_pixel)
        return self._layouts[size]


def _lay_out(image: Image, bytes_per_pixel: float) -> BlockLayout:
    tiles = sum(columns * rows for columns, rows in image.grids)
    place = _HEAD_BYTES + _INDEX_BYTES * tiles
    starts, means = [], []
    for level in reversed(range(len(image.levels))):
        (width, height), (columns, rows) = image.levels[level], image.grids[level]
        stored = width * height * bytes_per_pixel
        starts.append(place)
        means.append(stored / (columns * rows))
        place += int(stored)
    return BlockLayout(image, tuple(reversed(starts)), tuple(reversed(means)), place)


def identify_answer(target: Target) -> int:
    """Return the identity of the answer to a target, the `key` of its demand."""
    image = target.image
    assert image
    number = int(image.identifier)
    return _answer_key(number, image, target) if target.width else number


def _answer_key(number: int, image: Image, target: Target) -> int:
    """Identity of an answer: two addresses have the same one when they name the same region and
    the same size, however they are spelt."""
    x, y, width, height = target.region
    if width == image.width and height == image.height:
        return (number << _SIZE_BITS | target.width) << _SIZE_BITS | target.height
    key = number << 1 | 1
    for side in (x, y, width, height, target.width, target.height):
        key = key << _SIDE_BITS | side
    return key
