"""How little of an access master must be fetched before an image is answered."""

import random
from typing import Any

import numpy as np
import pytest
import pyvips

from tests.unit.ingest.made_pyramids import ENCODER, PROFILE
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_pages import PyramidPlan, plan_pages
from vitrine.store.ranged import BLOCK_BYTES, RangedFile, whole_ranges
from vitrine.store.tiff.checksums import crc32c
from vitrine.store.tiff.entry import opaque, text
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import TiffReader
from vitrine.store.tiff.tags import Tag
from vitrine.store.tiff.writing import NewDirectory, lay_out

KIBIBYTE = 1024
COLOUR = (200, 90, 40)
DESCRIBED = Metadata(
    entries={
        Tag.IMAGE_DESCRIPTION: text("The Night Watch. " * 50),
        Tag.XMP: opaque(bytes(200 * KIBIBYTE)),
        Tag.IPTC: opaque(bytes(8 * KIBIBYTE)),
    }
)
"""Metadata whose XMP packet goes behind the tiles."""


def planned(width: int, height: int, metadata: Metadata = DESCRIBED) -> PyramidPlan:
    return plan_pages(width, height, ENCODER, profile=PROFILE, metadata=metadata)


def tiles_of(size: tuple[int, int]) -> int:
    return -(-size[0] // 256) * -(-size[1] // 256)


def test_one_read_holds_the_head_of_a_gigapixel() -> None:
    assert planned(36_000, 28_000).head_bytes() <= BLOCK_BYTES == 256 * KIBIBYTE


def test_one_read_holds_the_head_of_700_megapixels_in_bigtiff() -> None:
    """As it would be if the tiles came to 4 GiB."""
    plan = planned(27_000, 26_000, Metadata())
    pages = [
        NewDirectory(page.entries, page.children, [1] * tiles_of(size), [1] * tiles_of(size))
        for page, size in zip(plan.pages, plan.sizes, strict=True)
    ]
    assert len(lay_out(pages, big=True).head) <= BLOCK_BYTES


@pytest.fixture(scope="module")
def large() -> bytes:
    """400 megapixels whose tiles are short and empty, but for that of the smallest level."""
    plan = planned(16_640, 24_040)
    lengths = random.Random(3)
    tile = ENCODER.encode(np.full((256, 256, 3), COLOUR, "u1"))
    for size, counts, checksums in zip(plan.sizes, plan.byte_counts, plan.checksums, strict=True):
        if size == plan.sizes[-1]:
            counts.append(len(tile))
        else:
            counts += [lengths.randint(800, 1_600) for _ in range(tiles_of(size))]
        checksums += [crc32c(tile)] * len(counts)
    layout = plan.lay_out()
    body = layout.head + tile
    return body + bytes(layout.total_bytes - len(body) - len(layout.tail)) + layout.tail


class Opened:
    """An object of a store, and what was fetched of it."""

    def __init__(self, body: bytes) -> None:
        store = MemoryObjectStore()
        store.put("a.tif", body, content_type="image/tiff", metadata={})
        self.file = RangedFile(store, "a.tif", len(body))
        self.read = whole_ranges(self.file)
        self.levels = read_levels(TiffReader(self.read, len(body)))

    def answer(self, level: PyramidLevel) -> Any:
        """The picture of a level that is one tile."""
        [(offset, length)] = level.tiles
        tables = level.page.entry(Tag.JPEG_TABLES).data
        return pyvips.Image.jpegload_buffer(tables[:-2] + self.read(offset, length)[2:])


def test_a_thumbnail_of_400_megapixels_costs_two_reads_at_most(large: bytes) -> None:
    """`full/!128,128`: the smallest level is the one that covers it."""
    opened = Opened(large)
    assert opened.levels[0].width * opened.levels[0].height >= 400_000_000
    smallest = opened.levels[-1]
    assert max(smallest.width, smallest.height) >= 128
    picture = opened.answer(smallest).crop(0, 0, smallest.width, smallest.height)
    thumbnail = picture.thumbnail_image(128, height=128)
    assert max(thumbnail.width, thumbnail.height) == 128
    assert np.abs(thumbnail.numpy().astype(int) - COLOUR).max() <= 2
    assert opened.file.reads <= 2
    assert opened.file.reads * BLOCK_BYTES <= 512 * KIBIBYTE


def test_any_tile_of_an_opened_image_is_one_more_read(large: bytes) -> None:
    opened = Opened(large)
    before = opened.file.reads
    offset, length = opened.levels[0].tiles[3_000]
    assert len(opened.read(offset, length)) == length
    assert opened.file.reads - before <= 2, "a tile may lie across the seam of two blocks"
