"""Pictures, the exact box pyramid of one, and access masters made by the writer under test."""

from pathlib import Path
from typing import Any

import numpy as np
import pyvips

from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput, Output
from vitrine.ingest.convert.pyramid.pyramid_pages import PyramidPlan, plan_pages
from vitrine.ingest.convert.pyramid.pyramid_writer import WrittenBytes, write_pyramid
from vitrine.ingest.convert.pyramid.tile_encoder import TileEncoder

ENCODER = TileEncoder(256, 90, "444")
PROFILE: bytes = pyvips.Operation.call("profile_load", "srgb")


def picture(width: int, height: int) -> Any:
    """Smooth colours with fine grain: no two places alike, and JPEG cannot hide an error."""
    y, x = np.mgrid[0:height, 0:width]
    colours = np.stack(
        [40 + 170 * x / width, 40 + 170 * y / height, 128 + 60 * np.sin((x + 2 * y) / 97)], axis=-1
    )
    grain = np.random.default_rng(7).integers(-6, 7, (height, width, 1))
    return np.clip(colours + grain, 0, 255).astype("u1")


def box_levels(pixels: Any, tile_size: int = 256) -> list[Any]:
    """Each level the mean of 2x2 boxes of the one above, rounded half up; edges repeat."""
    levels = [pixels]
    while max(levels[-1].shape[:2]) > tile_size:
        last = levels[-1]
        last = np.pad(last, ((0, last.shape[0] % 2), (0, last.shape[1] % 2), (0, 0)), "edge")
        boxes = last.reshape(last.shape[0] // 2, 2, last.shape[1] // 2, 2, 3).astype("u2")
        levels.append(((boxes.sum(axis=(1, 3)) + 2) // 4).astype("u1"))
    return levels


def image_of(pixels: Any) -> Any:
    """As libvips sees it."""
    return pyvips.Image.new_from_array(np.ascontiguousarray(pixels)).copy(interpretation="srgb")


def write_to(
    output: Output,
    pixels: Any,
    scratch: Path,
    *,
    threads: int = 2,
    metadata: Metadata | None = None,
) -> tuple[PyramidPlan, WrittenBytes]:
    """Write an access master of `pixels`."""
    height, width = pixels.shape[:2]
    plan = plan_pages(width, height, ENCODER, profile=PROFILE, metadata=metadata or Metadata())
    written = write_pyramid(
        image_of(pixels), plan, ENCODER, output, scratch=scratch, threads=threads
    )
    return plan, written


def write_file(pixels: Any, path: Path, **options: Any) -> tuple[PyramidPlan, WrittenBytes]:
    """Write an access master of `pixels` to `path`."""
    with FileOutput(path) as output:
        return write_to(output, pixels, path.parent, **options)
