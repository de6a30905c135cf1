"""Images of a given size and nothing on them: a pyramid of grey tiles, written in no time."""

from pathlib import Path

import numpy as np
import pyvips

from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.tile_encoder import TileEncoder
from vitrine.ingest.recipe import STANDARD
from vitrine.store.tiff.checksums import crc32c

_GREY = 128


def write_standin(path: Path, width: int, height: int) -> None:
    """Write an access master laid out by our recipe, every tile of it the same grey square."""
    encoder = TileEncoder(STANDARD.tile_size, STANDARD.quality, STANDARD.subsampling)
    profile = pyvips.Operation.call("profile_load", "srgb")
    plan = plan_pages(width, height, encoder, profile=profile, metadata=Metadata())
    side = encoder.tile_size
    tile = encoder.encode(np.full((side, side, 3), _GREY, np.uint8))
    for level, (level_width, level_height) in enumerate(plan.sizes):
        tiles = -(-level_width // side) * -(-level_height // side)
        plan.byte_counts[level].extend([len(tile)] * tiles)
        plan.checksums[level].extend([crc32c(tile)] * tiles)
    layout = plan.lay_out()
    small = sum(len(counts) for counts in plan.byte_counts[1:])
    with FileOutput(path) as output:
        output.write(tile * len(plan.byte_counts[0]))
        output.finish([layout.head, tile * small], layout.tail)
