"""Damaged bytes are found in what a renderer read of the local file, whatever became of them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.deliver.pyramids.open_rig import HEIGHT, WIDTH, made
from tests.unit.deliver.render.render_rig import WholeFile, pyramid_of
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.iiif.region import Box

WHOLE = Box(0, 0, WIDTH, HEIGHT)
SEALED, UNSEALED = "ours", "libvips-ycbcr-420"


def opened(data: bytes, folder: Path) -> OpenPyramid:
    return pyramid_of(WholeFile(data, folder / "stored.tif"))


def damage(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(data)


@pytest.mark.parametrize("writer", [SEALED, UNSEALED])
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_a_damaged_tile_is_found_and_no_other(tmp_path: Path, writer: str, where: str) -> None:
    pyramid = opened(made(writer), tmp_path)
    path, tiles = pyramid.file.path, pyramid.levels[0].tile_ranges(WHOLE)
    assert pyramid.find_damaged(path, 0, tiles) == []
    for offset, length in tiles.values():
        at = {"first": offset, "middle": offset + length // 2, "last": offset + length - 1}[where]
        before = made(writer)[at]
        damage(path, at, bytes([before ^ 1]))
        found = pyramid.find_damaged(path, 0, tiles)
        assert set(found) - set(pyramid.head_ranges) == {(offset, length)}
        damage(path, at, bytes([before]))


def test_all_tiles_of_a_damaged_row_are_found(tmp_path: Path) -> None:
    pyramid = opened(made(SEALED), tmp_path)
    tiles = pyramid.levels[0].tile_ranges(WHOLE)
    (start, _), (last, length) = tiles[3], tiles[5]
    damage(pyramid.file.path, start, bytes(last + length - start))
    assert pyramid.find_damaged(pyramid.file.path, 0, tiles) == [tiles[3], tiles[4], tiles[5]]


@pytest.mark.parametrize("writer", [SEALED, UNSEALED])
def test_a_damaged_head_is_found(tmp_path: Path, writer: str) -> None:
    pyramid = opened(made(writer), tmp_path)
    path, [(start, length), *_] = pyramid.file.path, pyramid.head_ranges
    tiles = pyramid.levels[0].tile_ranges(WHOLE)
    assert pyramid.find_damaged(path, 0, tiles) == []
    damage(path, start + length - 1, bytes([made(writer)[start + length - 1] ^ 0x80]))
    assert set(pyramid.head_ranges) <= set(pyramid.find_damaged(path, 0, tiles))


@pytest.mark.slow
@settings(max_examples=200)
@given(data=st.data())
def test_no_flipped_bit_of_a_sealed_file_passes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Each byte is in the head, in a tile or in the tail; and each is judged."""
    whole = made(SEALED)
    at = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytearray(whole)
    flipped[at] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.getbasetemp() / "flipped.tif"
    pyramid = opened(whole, path.parent)
    path.write_bytes(flipped)
    found = [
        extent
        for number, level in enumerate(pyramid.levels)
        for extent in pyramid.find_damaged(
            path, number, level.tile_ranges(Box(0, 0, level.width, level.height))
        )
    ]
    assert any(offset <= at < offset + length for offset, length in found)
