"""The 2x2 box filter between two levels of a pyramid."""

import sys
import threading

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""Shape (rows, columns, 3), 8-bit sRGB."""


class BoxFilter(threading.local):
    """Halves squares of `side` pixels; each thread reuses working memory of its own."""

    def __init__(self, side: int, bands: int = 3) -> None:
        self._half, self._bands = side // 2, bands
        self._rows = np.empty((self._half, side, bands), np.uint16)
        """Sums of two rows each."""
        self._flat = self._rows.reshape(-1)
        self._boxes = np.zeros(self._flat.size, np.uint16)
        """Sums of two neighbours each; those in odd columns belong to no box."""
        # numpy is slow where types are converted: the means are the lower bytes of their numbers.
        lower = 0 if sys.byteorder == "little" else 1
        means = self._boxes.view(np.uint8)[lower::2].reshape(self._half, self._half, 2, bands)
        self._means = means[:, :, 0]

    def halve(self, pixels: Pixels, half: Pixels) -> None:
        """Write the mean of each 2x2 box of `pixels`, rounded half up, into `half`.

        Sums of rows, then of all neighbours, twice as many as there are boxes: numpy adds what lies
        together several times as fast as every second pixel, and is slow on a last axis of three.
        """
        boxes, bands = self._boxes, self._bands
        np.add(pixels[0::2], pixels[1::2], out=self._rows, dtype=np.uint16)
        np.add(self._flat[:-bands], self._flat[bands:], out=boxes[:-bands])
        np.add(boxes, 2, out=boxes)
        np.right_shift(boxes, 2, out=boxes)
        for band in range(bands):
            half[:, :, band] = self._means[:, :, band]
