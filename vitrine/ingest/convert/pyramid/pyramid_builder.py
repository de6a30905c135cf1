"""All levels of an access master, built in one pass over the pixels."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from vitrine.ingest.convert.pyramid.level_builder import Level, TileSink
from vitrine.ingest.convert.pyramid.pixel_rows import TakeRows, push_rows
from vitrine.ingest.convert.pyramid.shrink import BoxFilter, Pixels
from vitrine.ingest.convert.pyramid.tile_encoder import Encoders

MIN_LEVEL = 256
"""Longest side of the smallest level, pixels."""


def level_sizes(width: int, height: int, tile_size: int) -> list[tuple[int, int]]:
    """Return sizes from full resolution down, halved and rounded up, until one tile is enough.

    That is a tile of 256 pixels, whatever `tile_size`: thumbnails are made of the smallest levels.
    """
    sizes = [(width, height)]
    while max(sizes[-1]) > min(tile_size, MIN_LEVEL):
        last_width, last_height = sizes[-1]
        sizes.append((-(-last_width // 2), -(-last_height // 2)))
    return sizes


def build_pyramid(
    image: Any,
    encoders: Encoders,
    *,
    sinks: Sequence[TileSink],
    threads: int,
    watch: TakeRows | None = None,
) -> None:
    """Encode `image` (8-bit sRGB) into one sink per level, full resolution first in `sinks`.

    `threads` encode; a further one, the caller's, moves the pixels. `watch` sees the rows pass.
    Raises pyvips.Error when the image cannot be decoded, and what a sink or `watch` raises.
    """
    sizes = level_sizes(image.width, image.height, encoders.tile_size)
    with ThreadPoolExecutor(threads, thread_name_prefix="encode") as pool:
        level: Level | None = None
        box = BoxFilter(encoders.tile_size)
        for size, sink in zip(reversed(sizes), reversed(sinks), strict=True):
            top = size == sizes[0]
            level = Level(
                *size,
                encoder=encoders.of(reduced=not top),
                box=box,
                pool=pool,
                sink=sink,
                below=level,
                ahead=top,
            )
        assert level is not None
        push_rows(image, _call_both(watch, level.add) if watch else level.add)
        level.close()


def _call_both(first: TakeRows, second: TakeRows) -> TakeRows:
    def take(rows: Pixels) -> None:
        first(rows)
        second(rows)

    return take
