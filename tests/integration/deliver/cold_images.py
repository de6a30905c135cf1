"""Pyramids of hundreds of megapixels in a second: real files whose tiles are drawn from a few."""

import random
from pathlib import Path

import numpy as np
import pyvips

from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.tile_encoder import TileEncoder
from vitrine.store.tiff.checksums import crc32c

TILE = 256


def write_like_ours(path: Path, width: int, height: int) -> None:
    """An access master in our layout; tiles of 3 to 60 kB, in no order."""
    encoder = TileEncoder(TILE, 90, "444")
    profile = pyvips.Operation.call("profile_load", "srgb")
    plan = plan_pages(width, height, encoder, profile=profile, metadata=Metadata())
    noise = np.random.default_rng(5)
    tiles = [
        encoder.encode(noise.integers(128 - span, 129 + span, (TILE, TILE, 3)).astype("u1"))
        for span in (1, 2, 4, 6, 9, 12, 20, 40)
    ]
    chance = random.Random(6)
    pages = []
    for level, size in enumerate(plan.sizes):
        number = -(-size[0] // TILE) * -(-size[1] // TILE)
        page = chance.choices(tiles, (30, 10, 10, 10, 20, 10, 5, 5), k=number)
        plan.byte_counts[level].extend(len(tile) for tile in page)
        plan.checksums[level].extend(crc32c(tile) for tile in page)
        pages.append(page)
    layout = plan.lay_out()
    with path.open("wb") as file:
        file.write(layout.head)
        for page in reversed(pages):
            file.writelines(page)
        file.write(layout.tail)


def write_like_libvips(path: Path, width: int, height: int) -> None:
    """A plain libvips PTIFF, full resolution first, its directories between the levels."""
    noise = pyvips.Image.gaussnoise(1024, 1024, mean=128, sigma=12, seed=3).cast("uchar")
    grain = noise.bandjoin([noise, noise]).copy(interpretation="srgb").copy_memory()
    picture = grain.replicate(-(-width // 1024), -(-height // 1024)).crop(0, 0, width, height)
    sides = {"tile_width": TILE, "tile_height": TILE}
    picture.tiffsave(str(path), tile=True, pyramid=True, compression="jpeg", Q=90, **sides)
