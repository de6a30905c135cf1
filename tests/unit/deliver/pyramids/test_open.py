"""Pyramids of every writer open, in few reads; hostile ones are refused."""

import asyncio
import random
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.deliver.deliver_records import live
from tests.unit.deliver.pyramids.hollow_pyramids import HollowStore, halved, libtiff_head, our_head
from tests.unit.deliver.pyramids.open_rig import (
    HEIGHT,
    WIDTH,
    WRITERS,
    in_loop,
    levels_of,
    made,
    open_rig,
    record_of,
    stored_tile,
)
from vitrine.deliver.pyramids.open_pyramid import TRIES, OpenPyramid
from vitrine.errors import Unavailable
from vitrine.iiif.region import Box
from vitrine.store.tiff.tags import Tag

MEBIBYTE = 1 << 20


@pytest.mark.parametrize("writer", WRITERS)
@in_loop
async def test_every_tile_is_found_where_another_reader_finds_it(
    tmp_path: Path, writer: str
) -> None:
    data = made(writer)
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(data)
        assert (pyramid.levels[0].width, pyramid.levels[0].height) == (WIDTH, HEIGHT)
        for number, level in enumerate(pyramid.levels):
            assert level.passes_through
            for row in range(level.rows):
                for column in range(level.columns):
                    assert await pyramid.tile(number, column, row) == stored_tile(
                        data, number, column, row
                    )


@in_loop
async def test_our_own_pyramid_of_400_megapixels_opens_and_shows_a_thumbnail_in_one_read(
    tmp_path: Path,
) -> None:
    pieces, size = our_head(20_000, 20_000, 17_000)
    store = HollowStore(pieces, size)
    sizes = [(20_000, 20_000)]
    while max(sizes[-1]) > 256:
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    image = live(width=20_000, height=20_000, levels=tuple(sizes))
    async with open_rig(tmp_path, store=store) as rig:
        pyramid = await rig.pyramids.open(image)
        assert len(store.reads) == 1
        ranges = [*pyramid.head_ranges, *pyramid.level_ranges(6, Box(0, 0, 313, 313))]
        async with pyramid.file.pinned(ranges):
            assert len(store.reads) == 1
        assert store.bytes_read <= MEBIBYTE / 4
        assert pyramid.memory_bytes < 150_000


@pytest.mark.parametrize("tile_bytes", [9_000, 21_000, 36_000])
@in_loop
async def test_a_pyramid_of_400_megapixels_by_libtiff_opens_in_few_reads(
    tmp_path: Path, tile_bytes: int
) -> None:
    sizes = halved(20_000, 20_000, 8)
    store = HollowStore(*libtiff_head(sizes, tile_bytes))
    image = live(width=20_000, height=20_000, levels=tuple(sizes))
    async with open_rig(tmp_path, store=store) as rig:
        pyramid = await rig.pyramids.open(image)
        ranges = [*pyramid.head_ranges, *pyramid.level_ranges(6, Box(0, 0, 312, 312))]
        async with pyramid.file.pinned(ranges):
            assert len(store.reads) <= 8
            assert store.bytes_read <= 2 * MEBIBYTE


@in_loop
async def test_many_who_open_at_once_open_once(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        image = rig.publish(made("libvips-rgb"))
        pyramids = await asyncio.gather(*(rig.pyramids.open(image) for _ in range(50)))
        assert len(set(map(id, pyramids))) == 1
        blocks = [start for start, _ in rig.store.reads]
        assert len(blocks) == len(set(blocks))
        assert rig.pyramids.ready(image) is pyramids[0]
        assert rig.pyramids.ready(replace(image)) is pyramids[0]


@in_loop
async def test_a_replaced_pyramid_is_opened_again(tmp_path: Path) -> None:
    old, new = made("libvips-rgb"), made("libvips-ycbcr-420")
    async with open_rig(tmp_path) as rig:
        image = rig.publish(old)
        before = await rig.pyramids.open(image)
        rig.publish(new, image)
        before.file.forget(0, before.file.size)
        seen = []

        async def first_tile(pyramid: OpenPyramid) -> bytes:
            seen.append(pyramid)
            return await pyramid.tile(0, 0, 0)

        assert await rig.pyramids.use(image, first_tile) == stored_tile(new, 0, 0, 0)
        assert len(seen) == 2
        assert rig.pyramids.ready(image) is seen[1]


@in_loop
async def test_only_as_many_are_remembered_as_fit(tmp_path: Path) -> None:
    data = made("ours")
    async with open_rig(tmp_path, capacity_bytes=60_000) as rig:
        images = [
            rig.publish(data, record_of(data, name, access_master_key=name)) for name in "abcdef"
        ]
        for image in images:
            await rig.pyramids.open(image)
            assert rig.pyramids.memory_bytes <= 60_000
        open_ = [image.identifier for image in images if rig.pyramids.ready(image)]
        assert open_ == ["d", "e", "f"]


@in_loop
async def test_a_record_of_another_pyramid_is_not_served(tmp_path: Path) -> None:
    data = made("ours")
    async with open_rig(tmp_path) as rig:
        image = rig.publish(data, record_of(data, levels=((700, 523), (350, 261), (175, 130))))
        with pytest.raises(Unavailable, match="not the one that was published"):
            await rig.pyramids.open(image)


@in_loop
async def test_a_damaged_tile_is_fetched_again_and_then_refused(tmp_path: Path) -> None:
    data = made("libvips-rgb")
    offset, count = levels_of(data)[0].tiles[4]
    broken = data[: offset + count - 1] + b"\0" + data[offset + count :]
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(broken)
        before = len(rig.store.reads)
        with pytest.raises(Unavailable, match="damaged"):
            await pyramid.tile(0, 1, 1)
        assert len(rig.store.reads) > before
        assert await pyramid.tile(0, 0, 0) == stored_tile(data, 0, 0, 0)


@in_loop
async def test_a_block_that_was_damaged_on_disk_is_mended(tmp_path: Path) -> None:
    data = made("ours")
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(data)
        whole = stored_tile(data, 0, 1, 1)
        offset, _ = pyramid.levels[0].tile_range(1, 1)
        with pyramid.file.path.open("r+b") as file:
            file.seek(offset)
            file.write(bytes(len(whole)))
        assert await pyramid.tile(0, 1, 1) == whole


@in_loop
async def test_a_head_that_was_damaged_on_disk_is_mended(tmp_path: Path) -> None:
    data = made("ours")
    async with open_rig(tmp_path) as rig:
        image = rig.publish(data)
        file = await rig.cache.file(image.access_master_key)
        with file.path.open("r+b") as local:
            local.write(bytes(1000))
        pyramid = await rig.pyramids.open(image)
        assert await pyramid.tile(0, 0, 0) == stored_tile(data, 0, 0, 0)


@in_loop
async def test_ranges_of_a_box_are_those_of_the_tiles_under_it(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        pyramid = await rig.open(made("libvips-rgb"))
        level = pyramid.levels[0]
        inside = {level.tile_range(column, row) for column in (1, 2) for row in (0, 1)}
        ranges = pyramid.level_ranges(0, Box(256, 10, 9999, 300))
        for offset, length in inside:
            assert any(
                start <= offset and offset + length <= start + size for start, size in ranges
            )
        assert len(pyramid.level_ranges(0, Box(0, 0, 700, 523))) == 1
        with pytest.raises(IndexError):
            level.tile_range(3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["ours", "libvips-rgb-bigtiff", "libvips-rgb-subifd"])
@in_loop
async def test_what_is_broken_at_random_opens_or_is_refused(tmp_path: Path, writer: str) -> None:
    data = made(writer)
    image = record_of(data)
    heads = [0, *(level.page.offset for level in levels_of(data))]
    rng = random.Random(writer)
    for trial in range(60):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            broken[(rng.choice(heads) + rng.randrange(200)) % len(data)] = rng.randrange(256)
        async with open_rig(tmp_path / str(trial)) as rig:
            rig.publish(bytes(broken), image)
            with suppress(Unavailable):
                pyramid = await rig.pyramids.open(image)
                for number, level in enumerate(pyramid.levels):
                    await pyramid.tile(number, level.columns - 1, level.rows - 1)
            assert rig.store.bytes_read <= 4 * len(data)


@in_loop
async def test_values_outside_the_file_are_refused_unread(tmp_path: Path) -> None:
    data = made("libvips-rgb-bigtiff")
    for tag in (Tag.TILE_OFFSETS, Tag.JPEG_TABLES):
        at = data.index(struct.pack("<H", tag), levels_of(data)[0].page.offset)
        for count, place in ((1 << 60, 8), (9, 1 << 62), (9, len(data) - 4)):
            broken = bytearray(data)
            struct.pack_into("<QQ", broken, at + 4, count, place)
            async with open_rig(tmp_path / f"{tag}-{count}-{place}") as rig:
                image = rig.publish(bytes(broken), record_of(data))
                with pytest.raises(Unavailable, match="cannot be read: "):
                    await rig.pyramids.open(image)
                before = rig.store.bytes_read
                assert before <= TRIES * len(data)
                with pytest.raises(Unavailable, match="cannot be read: "):
                    await rig.pyramids.open(image)
                assert rig.store.bytes_read == before
