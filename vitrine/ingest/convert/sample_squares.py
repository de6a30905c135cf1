"""Sample squares all over the image, whose mean colours show later if an access master is right."""

from itertools import product
from typing import Any

import numpy as np

SIDE = 32
"""Width and height of a square in pixels of the full resolution."""

GRID = 4
"""Squares per row and per column."""

TOLERANCE = 4
"""Largest difference of a mean, of 255: JPEG at quality 90 stays within 2 on noise."""


class SampleRecorder:
    """Samples rows as they pass: [x, y, red, green, blue] of GRID x GRID squares."""

    def __init__(self, width: int, height: int) -> None:
        self._sums = {
            (y, x): np.zeros(3, np.uint64)
            for y, x in product(_positions(height), _positions(width))
        }
        self._width, self._height = width, height
        self._row = 0

    def add(self, rows: Any) -> None:
        """Take the next rows: (any number, width, 3) of 8 bits."""
        first, self._row = self._row, self._row + len(rows)
        for (y, x), total in self._sums.items():
            part = rows[max(y - first, 0) : max(y + SIDE - first, 0), x : x + SIDE]
            if part.size:
                total += part.sum(axis=(0, 1), dtype=np.uint64)

    def samples(self) -> list[list[int]]:
        """Return the samples, once all rows have passed."""
        samples = []
        for (y, x), total in self._sums.items():
            pixels = min(SIDE, self._width - x) * min(SIDE, self._height - y)
            samples.append([x, y, *(round(int(value) / pixels) for value in total)])
        return samples


def _positions(length: int) -> list[int]:
    """Return positions inset from the borders, multiples of SIDE: a square lies in one tile."""
    free = max(length - SIDE, 0)
    return sorted({free * (2 * n + 1) // (2 * GRID) // SIDE * SIDE for n in range(GRID)})
