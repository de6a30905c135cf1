"""The 2x2 box filter between two levels of a pyramid."""

import threading

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Shape (rows, columns, 3), 8-bit sRGB."""


class BoxFilter(threading.local):
    """Halves squares of `side` pixels; each thread reuses working memory of its own."""

    def __init__(self, side: int, bands: int = 3) -> None:
        self._half = side // 2
        self._sums = np.empty((self._half, side, bands), np.uint16)
        self._pairs = self._sums.reshape(self._half**2, 2, bands)
        self._total = np.empty(self._half**2, np.uint16)

    def halve(self, pixels: Pixels, half: Pixels) -> None:
        """Write the mean of each 2x2 box of `pixels`, rounded half up, into `half`.

        Row sums first, then one strided addition per band over all boxes at once: numpy is slow
        on a last axis of three.
        """
        np.add(pixels[0::2], pixels[1::2], out=self._sums, dtype=np.uint16)
        self._sums += 1  # twice in each box: half of the divisor
        total = self._total
        for band in range(half.shape[2]):
            np.add(self._pairs[:, 0, band], self._pairs[:, 1, band], out=total)
            np.right_shift(total, 2, out=total)
            half[:, :, band] = total.reshape(self._half, self._half)
