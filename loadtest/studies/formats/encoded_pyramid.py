"""Encoded images as tiles of levels, whatever the format: one way to cut, three to decode."""

import io
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tifffile import TiffFile

from loadtest.studies.formats.codestream import TileIndex, read_index, tile_alone

Pixels = NDArray[np.uint8]


class Coded(Protocol):
    """An encoded image. Its index stays in memory, its pixels never do."""

    levels: tuple[tuple[int, int], ...]
    """Width and height from full resolution down."""

    def tile_side(self, level: int) -> int:
        """Return the side in pixels of that level."""

    def tile(self, level: int, column: int, row: int) -> Pixels:
        """Decoded, (height, width, 3); at the right and lower end it may be larger or smaller."""


class Pyramid:
    """A tiled TIFF with a page for each level: libjpeg-turbo or zlib, by imagecodecs."""

    def __init__(self, path: Path) -> None:
        with TiffFile(path) as file:
            pages: list[Any] = sorted(file.pages, key=lambda page: -page.shape[1])
            self._pages = [page.aspage() for page in pages]
            # Read from the file on first use.
            self._decoders = [page.decode for page in self._pages]
            self.levels = tuple((page.shape[1], page.shape[0]) for page in self._pages)
        self._file = os.open(path, os.O_RDONLY)

    def tile_side(self, level: int) -> int:
        side: int = self._pages[level].tilewidth
        return side

    def tile(self, level: int, column: int, row: int) -> Pixels:
        page = self._pages[level]
        place = row * -(-page.imagewidth // page.tilewidth) + column
        data = os.pread(self._file, page.databytecounts[place], page.dataoffsets[place])
        pixels, _, shape = self._decoders[level](data, place, jpegtables=page.jpegtables)
        whole: Pixels = pixels[0, : shape[1], : shape[2]]
        return whole


class _Wavelets:
    """A file of JPEG 2000 in tiles: those that are needed are decoded, at the level needed."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._index: TileIndex = read_index(self._data)
        width, height = self._index.width, self._index.height
        self.levels = tuple(
            (-(-width // (1 << level)), -(-height // (1 << level)))
            for level in range(self._index.levels)
        )

    def tile_side(self, level: int) -> int:
        return self._index.tile >> level

    def _tile_bytes(self, column: int, row: int) -> bytes:
        return tile_alone(self._data, self._index, column, row)


class Jpeg2000(_Wavelets):
    """Part 1, decoded by OpenJPEG, through Pillow."""

    def tile(self, level: int, column: int, row: int) -> Pixels:
        with Image.open(io.BytesIO(self._tile_bytes(column, row))) as image:
            _reduce_image(image, level)
            pixels: Pixels = np.asarray(image)
        return pixels


def _reduce_image(image: Any, level: int) -> None:
    """Reduce like Pillow's own `reduce`, which rounds sizes that the standard rounds up (T.800,
    B-14), and then fails."""
    [tile] = image.tile
    width, height = (-(-side // (1 << level)) for side in image.size)
    codec, _, *rest = tile.args
    image._size = width, height
    image.tile = [tile._replace(extents=(0, 0, width, height), args=(codec, level, *rest))]


class HighThroughput(_Wavelets):
    """Part 15, decoded by OpenJPH, through imagecodecs."""

    def tile(self, level: int, column: int, row: int) -> Pixels:
        data = self._tile_bytes(column, row)
        pixels: Pixels = imagecodecs.htj2k_decode(data, skipres=(level, level), planar=False)
        return pixels


_KINDS: Mapping[str, Callable[[Path], Coded]] = {
    ".tif": Pyramid,
    ".jp2": Jpeg2000,
    ".jph": HighThroughput,
}


def open_coded(path: Path) -> Coded:
    """Open a file by its name's suffix. Raises VitrineError, and OSError without a file."""
    return _KINDS[path.suffix](path)


def cut_level(coded: Coded, level: int, box: tuple[int, int, int, int]) -> Pixels:
    """Left, top, right and lower end in pixels of the level: (height, width, 3)."""
    left, top, right, bottom = box
    side = coded.tile_side(level)
    pixels = np.empty((bottom - top, right - left, 3), np.uint8)
    for row, column in _touched_tiles(box, side):
        tile = coded.tile(level, column, row)
        x, y = column * side, row * side
        x0, y0 = max(left, x), max(top, y)
        x1, y1 = min(right, x + tile.shape[1]), min(bottom, y + tile.shape[0])
        pixels[y0 - top : y1 - top, x0 - left : x1 - left] = tile[y0 - y : y1 - y, x0 - x : x1 - x]
    return pixels


def decode_whole(coded: Coded) -> Pixels:
    """Return all pixels of full resolution."""
    return cut_level(coded, 0, (0, 0, *coded.levels[0]))


def _touched_tiles(box: tuple[int, int, int, int], side: int) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = box
    for row in range(top // side, -(-bottom // side)):
        for column in range(left // side, -(-right // side)):
            yield row, column
