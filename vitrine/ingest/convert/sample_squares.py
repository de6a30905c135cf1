"""Sample squares all over the image, whose mean colours show later if an access master is right.

The mean of a square after JPEG is not that of the master: strong grain on dark or saturated ground
is clipped, which shifts it by up to 5 of 255. So a patch around each square is halved and encoded
here as the writer does it, and what comes back is what the access master must show.
"""

from itertools import product
from typing import Any

import numpy as np
from imagecodecs import jpeg8_decode, jpeg8_encode

from vitrine.ingest.convert.pyramid.shrink import BoxFilter
from vitrine.ingest.convert.pyramid.tile_encoder import SUBSAMPLINGS
from vitrine.ingest.recipe import Recipe
from vitrine.ingest.rejections import wrong_result

SIDE = 32
"""Width and height of a square in pixels of the full resolution."""

GRID = 4
"""Squares per row and per column."""

LEVELS = 4
"""Levels whose colours are sampled: on smaller ones a square is less than a coding block."""

TOLERANCE = 2
"""Largest difference, of 255, of a mean from the one that is expected after JPEG."""

_PATCH = 128
"""Width and height of the pixels around a square: whole coding blocks on every level."""
_CODEC_TOLERANCE, _CODEC_SHARE = 4, 0.5
"""Difference that the codec makes, and its share of the deviation in the square, which clipping
needs."""


class SampleRecorder:
    """Samples rows as they pass: GRID x GRID squares, on LEVELS levels."""

    def __init__(self, width: int, height: int, recipe: Recipe) -> None:
        self._recipe = recipe
        self._patches = {
            (x, y): np.zeros((min(_PATCH, height - y), min(_PATCH, width - x), 3), np.uint8)
            for y, x in product(_patch_corners(height), _patch_corners(width))
        }
        self._squares = [
            (x, y) for y, x in product(_square_positions(height), _square_positions(width))
        ]
        self._row = 0

    def add(self, rows: Any) -> None:
        """Take the next rows: (any number, width, 3) of 8 bits."""
        first, self._row = self._row, self._row + len(rows)
        for (x, y), patch in self._patches.items():
            start, end = max(y, first), min(y + len(patch), self._row)
            if start < end:
                patch[start - y : end - y] = rows[start - first : end - first][
                    :, x : x + patch.shape[1]
                ]

    def samples(self) -> list[list[int]]:
        """Return [x, y, then red, green, blue of each level], once all rows have passed.

        Raises MasterRejected, conversion-differs, if the codec returns another picture.
        """
        levels = {corner: self._encode_levels(patch) for corner, patch in self._patches.items()}
        samples = []
        for x, y in self._squares:
            corner = _patch_corner(x), _patch_corner(y)
            colours = [
                _mean_colour(pixels, (x - corner[0], y - corner[1]), level)
                for level, pixels in enumerate(levels[corner])
            ]
            self._check_codec((x, y), colours[0])
            samples.append([x, y, *(round(value) for colour in colours for value in colour)])
        return samples

    def _encode_levels(self, patch: Any) -> list[Any]:
        """Return the patch on each level as it comes back from the codec."""
        side, pixels, levels = _PATCH, patch, []
        for level in range(LEVELS):
            height, width = pixels.shape[:2]
            padded = _pad_patch(pixels, side)
            levels.append(self._encode_patch(padded, level)[:height, :width])
            half = np.empty((side // 2, side // 2, 3), np.uint8)
            BoxFilter(side).halve(padded, half)
            side, pixels = side // 2, half[: -(-height // 2), : -(-width // 2)]
        return levels

    def _encode_patch(self, pixels: Any, level: int) -> Any:
        stream = jpeg8_encode(
            pixels,
            self._recipe.quality_of(level),
            outcolorspace="YCBCR",
            subsampling=SUBSAMPLINGS[self._recipe.subsampling],
        )
        return jpeg8_decode(stream, outcolorspace="RGB")

    def _check_codec(self, square: tuple[int, int], encoded: list[float]) -> None:
        x, y = square
        corner = _patch_corner(x), _patch_corner(y)
        part = self._patches[corner][y - corner[1] :, x - corner[0] :][:SIDE, :SIDE]
        most = _CODEC_TOLERANCE + _CODEC_SHARE * float(part.std(axis=(0, 1)).max())
        difference = np.abs(part.mean(axis=(0, 1)) - encoded).max()
        if difference > most:
            raise wrong_result("colours", f"{difference:.1f} of 255 after the codec at {x}, {y}")


def _mean_colour(pixels: Any, offset: tuple[int, int], level: int) -> list[float]:
    left, top = (value >> level for value in offset)
    side = SIDE >> level
    return [float(v) for v in pixels[top : top + side, left : left + side].mean(axis=(0, 1))]


def _pad_patch(patch: Any, side: int) -> Any:
    """Repeat the last row and column, as the writer does up to the next coding unit."""
    height, width = patch.shape[:2]
    return np.pad(patch, ((0, side - height), (0, side - width), (0, 0)), "edge")


def _patch_corners(length: int) -> list[int]:
    return sorted({_patch_corner(position) for position in _square_positions(length)})


def _patch_corner(position: int) -> int:
    return position // _PATCH * _PATCH


def _square_positions(length: int) -> list[int]:
    """Return positions inset from the borders, multiples of SIDE: a square lies in one tile."""
    free = max(length - SIDE, 0)
    return sorted({free * (2 * n + 1) // (2 * GRID) // SIDE * SIDE for n in range(GRID)})
