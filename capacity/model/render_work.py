"""How much work a derivative is, from which level it is made, and who makes it."""

from loadtest.workload.catalogue import MEGA
from loadtest.workload.target import TILE, Target

MAX_MEDIUM_WORK, MAX_LARGE_WORK = 6.0, 24.0
"""Megapixels of work; more goes to the pools of large and of huge renders. As in
`vitrine.deliver.render.choice`."""
JPEG_WORK = 1.5
"""Work of encoding a pixel, in decoded ones; from the same table."""
MAX_THUMBNAIL_PIXELS, MAX_THUMBNAIL_TILES = 200 * 200, 2
"""Pixels of a result, and stored tiles from which it is made; as `vitrine.deliver.render.planes`.
"""
AT_ONCE, MEDIUM, LARGE_TURN, HUGE = range(4)
"""Renderers: the event loop; or iipsrv, after a turn in one of the three pools of
`vitrine.deliver.render.rendering`."""


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


def pool_of(target: Target) -> int:
    """Return who makes a derivative: AT_ONCE, MEDIUM, LARGE_TURN or HUGE."""
    pixels, work = target.width * target.height, work_of(target)
    if work > MAX_LARGE_WORK:
        return HUGE
    if work > MAX_MEDIUM_WORK:
        return LARGE_TURN
    at_once = pixels <= MAX_THUMBNAIL_PIXELS and _count_tiles(target) <= MAX_THUMBNAIL_TILES
    return AT_ONCE if at_once else MEDIUM


def _count_tiles(target: Target) -> int:
    """Return how many stored tiles a target is made from."""
    image, level = target.image, level_of(target)
    assert image
    x, y, width, height = target.region
    across, down = image.tile_width << level, image.tile_height << level
    columns = (x + width - 1) // across - x // across + 1
    return int(columns * ((y + height - 1) // down - y // down + 1))


def work_of(target: Target) -> float:
    """Megapixels of work of a derivative: pixels decoded, and 1.5 for each encoded."""
    _, _, width, height = target.region
    level = level_of(target)
    decoded = (width >> level) * (height >> level)
    return (decoded + JPEG_WORK * target.width * target.height) / MEGA
