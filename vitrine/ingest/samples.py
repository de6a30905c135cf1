"""What the conversion saw, in a few hundred bytes: mean colours of squares all over the image."""

from typing import Any

SIDE = 32
"""Width and height of a square in pixels of the full resolution."""

GRID = 4
"""Squares per row and per column."""

TOLERANCE = 4
"""Largest difference of a mean, of 255: JPEG at quality 90 stays within 2 on noise."""

_MEAN = 4
"""Column of vips_stats that holds the mean."""


def take_samples(image: Any) -> list[list[int]]:
    """[x, y, red, green, blue] of GRID x GRID squares, inset from the borders."""
    return [[x, y, *_mean(image, x, y)] for x, y in _corners(image.width, image.height)]


def largest_difference(image: Any, samples: list[list[int]]) -> tuple[int, list[int]]:
    """How far the worst square of `image` is from its sample, 0 to 255, and that sample."""
    worst: tuple[int, list[int]] = (0, [])
    for sample in samples:
        seen = _mean(image, sample[0], sample[1])
        difference = max(abs(a - b) for a, b in zip(seen, sample[2:], strict=True))
        if difference >= worst[0]:
            worst = (difference, sample)
    return worst


def _corners(width: int, height: int) -> list[tuple[int, int]]:
    def places(length: int) -> list[int]:
        free = max(length - SIDE, 0)
        return [free * (2 * number + 1) // (2 * GRID) for number in range(GRID)]

    return sorted({(x, y) for y in places(height) for x in places(width)})


def _mean(image: Any, x: int, y: int) -> list[int]:
    width, height = min(SIDE, image.width - x), min(SIDE, image.height - y)
    stats = image.crop(x, y, width, height).stats()
    return [round(stats(_MEAN, band + 1)[0]) for band in range(3)]
