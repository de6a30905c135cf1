"""Mean colours of small squares of one level; only the tiles under them are decoded."""

from functools import lru_cache
from typing import Any

import numpy as np
from imagecodecs import jpeg8_decode

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.pyramid import PyramidLevel
from vitrine.store.tiff.reading import ReadRange
from vitrine.store.tiff.tags import Tag

_JPEG = 7
_COLOUR_SPACES = {2: "RGB", 6: "YCBCR"}
_TILES_KEPT = 16


class MeanColourReader:
    """Reads mean colours of one level.

    Raises MalformedTiff when a tile cannot be decoded, and what `read` raises.
    """

    def __init__(self, read: ReadRange, level: PyramidLevel) -> None:
        page = level.page
        self._colours = _COLOUR_SPACES.get(page.integer(Tag.PHOTOMETRIC))
        if page.integer(Tag.COMPRESSION) != _JPEG or not self._colours:
            raise MalformedTiff("Its tiles are not JPEG in RGB or YCbCr.")
        self._read, self._level = read, level
        self._tables = page.entry(Tag.JPEG_TABLES).data if Tag.JPEG_TABLES in page else None
        self._tile = lru_cache(_TILES_KEPT)(self._decode_tile)

    def mean_colour(self, x: int, y: int, side: int) -> list[float]:
        """Return red, green and blue of the square at x, y, cut at the level's borders."""
        level = self._level
        right, bottom = min(x + side, level.width), min(y + side, level.height)
        total, pixels = np.zeros(3), 0
        for row in range(y // level.tile_height, -(-bottom // level.tile_height)):
            for column in range(x // level.tile_width, -(-right // level.tile_width)):
                left, top = column * level.tile_width, row * level.tile_height
                part = self._tile(row * level.columns + column)[
                    max(y - top, 0) : bottom - top, max(x - left, 0) : right - left
                ]
                total += part.sum(axis=(0, 1))
                pixels += part.shape[0] * part.shape[1]
        return [float(value) for value in total / max(pixels, 1)]

    def _decode_tile(self, number: int) -> Any:
        data = self._read(*self._level.tiles[number])
        try:
            return jpeg8_decode(
                data, tables=self._tables, colorspace=self._colours, outcolorspace="RGB"
            )
        except RuntimeError as error:
            raise MalformedTiff(f"Tile {number:,} cannot be decoded: {error}.") from error
