"""Writing an access master as the recipe says, and reading its structure."""

import hashlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from vitrine.ingest.convert.metadata.carried_metadata import Metadata, as_exif
from vitrine.ingest.convert.metadata.metadata_sources import from_page
from vitrine.ingest.convert.pyramid.pixel_rows import TakeRows, push_rows
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput, Output
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.pyramid_writer import write_pyramid
from vitrine.ingest.convert.pyramid.tile_encoder import LevelEncoders, TileEncoder
from vitrine.ingest.recipe import Recipe
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag

CONTENT_TYPE = "image/tiff"

OpenOutput = Callable[[int], AbstractContextManager[Output]]
"""Opens the output for a head of that length in bytes; 0 if the file has no such head."""

_CHUNK_BYTES = 1 << 20
_BIGTIFF_BYTES = 4_000_000_000


@dataclass(frozen=True, kw_only=True)
class PyramidStructure:
    """Structure of a tiled pyramid. `levels` from full resolution down, pixels."""

    levels: tuple[tuple[int, int], ...]
    tile_width: int
    tile_height: int
    bands: int
    metadata_digest: str
    """SHA-256 of the descriptive fields, hex."""


def write_access_master(
    image: Any,
    metadata: Metadata,
    recipe: Recipe,
    open_output: OpenOutput,
    scratch: Path,
    watch: TakeRows,
) -> None:
    """Write 8-bit sRGB `image`; `watch` sees its rows.

    Raises pyvips.Error when the image cannot be decoded (the writer of libvips: also when it cannot
    write), and what the output and `watch` raise.
    """
    if recipe.writer == "tiffsave":
        _write_by_libvips(image, recipe, open_output, scratch, watch)
        return
    encoders = LevelEncoders(
        full=TileEncoder(recipe.tile_size, recipe.quality_of(0), recipe.subsampling),
        reduced=TileEncoder(recipe.tile_size, recipe.quality_of(1), recipe.subsampling),
    )
    profile = pyvips.Operation.call("profile_load", "srgb")
    plan = plan_pages(image.width, image.height, encoders, profile=profile, metadata=metadata)
    with open_output(plan.head_bytes()) as output:
        write_pyramid(
            image,
            plan,
            encoders,
            output,
            scratch=scratch,
            threads=os.cpu_count() or 1,
            watch=watch,
        )


def to_file(path: Path) -> OpenOutput:
    """Return an output that is a file."""
    return lambda head_bytes: FileOutput(path)


def read_structure(read: ReadRange, size: int) -> PyramidStructure:
    """Read the structure of an access master of `size` bytes. Raises MalformedTiff for others."""
    reader = TiffReader(read, size)
    return structure_of(reader, read_levels(reader))


def structure_of(reader: TiffReader, levels: list[PyramidLevel]) -> PyramidStructure:
    """Return the structure of levels that were read. Raises MalformedTiff."""
    first = levels[0]
    described = as_exif(from_page(reader, first.page))
    return PyramidStructure(
        levels=tuple((level.width, level.height) for level in levels),
        tile_width=first.tile_width,
        tile_height=first.tile_height,
        bands=first.page.integer(Tag.SAMPLES_PER_PIXEL, 1),
        metadata_digest=hashlib.sha256(described).hexdigest(),
    )


def _write_by_libvips(
    image: Any, recipe: Recipe, open_output: OpenOutput, scratch: Path, watch: TakeRows
) -> None:
    push_rows(image, watch)
    path = scratch / "tiffsave.tif"
    image.tiffsave(
        str(path),
        compression="jpeg",
        Q=recipe.quality,
        tile=True,
        tile_width=recipe.tile_size,
        tile_height=recipe.tile_size,
        pyramid=True,
        subifd=False,
        bigtiff=image.width * image.height * 4 > _BIGTIFF_BYTES,
        keep="xmp",
    )
    with open_output(0) as output, path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            output.write(chunk)
        output.finish([], b"")
    path.unlink()
