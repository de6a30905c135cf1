"""The access master: writing one, and reading the structure of one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.ingest.header import OpenSource
from vitrine.ingest.recipe import Recipe
from vitrine.ingest.vips import load

CONTENT_TYPE = "image/tiff"


@dataclass(frozen=True, kw_only=True)
class Structure:
    """A tiled pyramid. `levels` from full resolution down, pixels."""

    levels: tuple[tuple[int, int], ...]
    tile_width: int
    tile_height: int
    bands: int


def write_access_master(image: Any, path: Path, recipe: Recipe) -> None:
    """Write 8-bit sRGB `image` as a tiled pyramid in page layout, each level half the last.

    BigTIFF when the file might pass 4 GB: with quality 90 an image rarely exceeds its raw size.
    """
    image.tiffsave(
        str(path),
        compression="jpeg",
        Q=recipe.quality,
        tile=True,
        tile_width=recipe.tile_size,
        tile_height=recipe.tile_size,
        pyramid=True,
        subifd=False,
        bigtiff=image.width * image.height * 4 > 4_000_000_000,
        keep="xmp",
    )


def read_structure(open_source: OpenSource) -> Structure:
    """The levels and tiles of a pyramidal TIFF. Raises pyvips.Error for what is none."""
    first = load(open_source(), "tiff")
    levels = [(first.width, first.height)]
    for page in range(1, first.get("n-pages")):
        level = load(open_source(), "tiff", page=page)
        levels.append((level.width, level.height))
    return Structure(
        levels=tuple(levels),
        tile_width=first.get("tile-width"),
        tile_height=first.get("tile-height"),
        bands=first.bands,
    )
