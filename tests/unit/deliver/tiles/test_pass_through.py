"""Stored tiles come out whole, at once where they are at hand."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.deliver.pyramids.open_rig import (
    WRITERS,
    in_loop,
    level_pixels,
    made,
    open_rig,
    record_of,
)
from tests.unit.deliver.tiles.tile_comparison import SEGMENTS, close
from tests.unit.deliver.tiles.tile_decoders import by_pillow
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.tiles import TilePosition
from vitrine.deliver.tiles.pass_through import CroppedTiles, PassThrough
from vitrine.errors import Unavailable
from vitrine.store.tiff.reading import ReadRange


def segments(_read: ReadRange, _size: int, _name: str) -> bytes:
    return SEGMENTS


def positions(pyramid: OpenPyramid) -> list[TilePosition]:
    return [
        TilePosition(number, column, row)
        for number, level in enumerate(pyramid.levels)
        for row in range(level.rows)
        for column in range(level.columns)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@in_loop
async def test_every_tile_of_every_level_shows_what_the_level_shows(
    tmp_path: Path, writer: str
) -> None:
    data = made(writer)
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(data)
        tiles = PassThrough(segments)
        for position in positions(pyramid):
            jpeg = await tiles.tile(pyramid, position)
            assert jpeg
            assert b"".join(tiles.peek(pyramid, position) or ()) == jpeg
            level = pyramid.levels[position.level]
            y, x = position.row * level.tile_height, position.column * level.tile_width
            expected = level_pixels(data, position.level)[y:, x:][: level.tile_height]
            expected = expected[:, : level.tile_width].reshape(*expected.shape[:1], -1)
            pixels = by_pillow(jpeg)
            assert close(pixels.reshape(len(pixels), -1), expected.reshape(len(expected), -1))


@in_loop
async def test_nothing_is_given_at_once_that_is_not_at_hand(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(made("libvips-rgb"))
        tiles, interior, edge = PassThrough(segments), TilePosition(0, 1, 1), TilePosition(0, 2, 0)
        assert tiles.peek(pyramid, interior) is None  # its metadata was not read yet
        await tiles.tile(pyramid, interior)
        assert tiles.peek(pyramid, edge) is None  # was not cropped yet
        before = len(rig.store.reads)
        assert tiles.peek(pyramid, interior)
        assert len(rig.store.reads) == before
        pyramid.file.forget(0, pyramid.file.size)
        assert tiles.peek(pyramid, interior) is None
        assert await tiles.tile(pyramid, interior)


@in_loop
async def test_a_level_of_another_kind_is_left_to_a_renderer(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(made("ours"))
        pyramid.levels = tuple(replace(level, compression=8) for level in pyramid.levels)
        assert await PassThrough(segments).tile(pyramid, TilePosition(0, 0, 0)) is None


@in_loop
async def test_a_tile_outside_the_file_is_unavailable(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(made("ours"))
        tiles, position = PassThrough(segments), TilePosition(0, 0, 0)
        await tiles.tile(pyramid, position)
        pyramid.levels[0].offsets[0] = pyramid.file.size - 5
        with pytest.raises(Unavailable):
            tiles.peek(pyramid, position)
        with pytest.raises(Unavailable):
            await tiles.tile(pyramid, position)


@in_loop
async def test_metadata_is_read_once_for_a_pyramid_and_forgotten_with_it(tmp_path: Path) -> None:
    read_keys = []

    def read_segments(read: ReadRange, _size: int, name: str) -> bytes:
        read_keys.append(name)
        return read(0, 2)[:0] + SEGMENTS

    data = made("ours")
    async with open_rig(tmp_path, capacity_bytes=1) as rig:
        pyramid = await rig.open(data)
        tiles = PassThrough(read_segments)
        whole = [position for position in positions(pyramid) if position.column < 2]
        await asyncio.gather(*(tiles.tile(pyramid, position) for position in whole))
        await asyncio.gather(*(tiles.tile(pyramid, position) for position in whole))
        assert read_keys == [pyramid.file.key]
        del pyramid
        other = rig.publish(data, record_of(data, "b", access_master_key="b"))
        await rig.pyramids.open(other)
        assert not tiles._prepared


def test_cropped_tiles_stay_within_their_room() -> None:
    room = CroppedTiles(100)
    keys = [(0, TilePosition(0, 0, row)) for row in range(20)]
    for key in keys:
        room.add(key, bytes(30))
        room.add(key, bytes(20))
        assert room.get(keys[0])
    assert [key for key in keys if room.get(key)] == [keys[0], *keys[17:]]
    room.add((1, keys[0][1]), bytes(101))
    assert not any(room.get(key) for key in keys)
