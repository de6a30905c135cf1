"""Indexes are read as wide as they are stored, in both byte orders, never beyond the file."""

import io
from typing import Any

import numpy as np
import pytest
import tifffile

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.index import read_index
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import Tag


def first_page(byteorder: Any, bigtiff: bool) -> Directory:
    file = io.BytesIO()
    pixels = np.zeros((40, 50, 3), "u1")
    tifffile.imwrite(
        file, pixels, photometric="rgb", tile=(16, 16), byteorder=byteorder, bigtiff=bigtiff
    )
    data = file.getvalue()
    return TiffReader(lambda offset, size: data[offset : offset + size], len(data)).first_page()


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("bigtiff", [False, True])
def test_an_index_holds_what_the_field_holds(byteorder: str, bigtiff: bool) -> None:
    page = first_page(byteorder, bigtiff)
    for tag in (Tag.TILE_OFFSETS, Tag.TILE_BYTE_COUNTS):
        index = read_index(page, tag)
        assert tuple(index) == page.integers(tag)
        assert len(index) * index.itemsize == page.length(tag)
    assert not read_index(page, Tag.SUB_IFDS)


def test_what_is_no_index_is_refused() -> None:
    with pytest.raises(MalformedTiff, match="of type 5 where integers belong"):
        read_index(first_page("<", False), Tag.X_RESOLUTION)


def test_the_place_of_a_value_is_known_before_it_is_read() -> None:
    page = first_page("<", False)
    place = page.extent(Tag.TILE_OFFSETS)
    assert place
    assert place[1] == page.length(Tag.TILE_OFFSETS)
    assert page.extent(Tag.IMAGE_WIDTH) is None
    assert page.extent(Tag.XMP) is None
