"""Whatever a store or a disk makes of an access master's bytes, no answer holds others."""

import os
import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.unit.deliver.pyramids.open_rig import (
    CountingStore,
    OpenPyramidsRig,
    in_loop,
    levels_of,
    made,
    open_rig,
    stored_tile,
)
from vitrine.errors import Unavailable
from vitrine.ports import ObjectPart
from vitrine.records import Live

ROUNDS = 40
LIARS_SHARE = 0.3
UNSEALED = "libvips-ycbcr-420"


@dataclass
class ChangingStore(CountingStore):
    """Changes the bytes of three reads in ten, never their number."""

    chance: random.Random = field(default_factory=lambda: random.Random(7))
    changed: int = 0

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        part = super().read(key, start, length, version=version, if_etag=if_etag)
        if self.chance.random() >= LIARS_SHARE:
            return part
        self.changed += 1
        return replace(part, data=change(part.data, self.chance))


def change(data: bytes, chance: random.Random) -> bytes:
    """Flip a bit in each 8 KiB, zero a part, or shift it by some bytes."""
    changed = bytearray(data)
    start = chance.randrange(len(data))
    stop = min(len(data), start + 4096)
    match chance.choice(("flip", "zero", "shift")):
        case "flip":
            for at in range(chance.randrange(min(8192, len(data))), len(data), 8192):
                changed[at] ^= 1 << chance.randrange(8)
        case "zero":
            changed[start:stop] = bytes(stop - start)
        case _:
            changed[start:stop] = changed[start:stop][3:] + changed[start:stop][:3]
    return bytes(changed)


async def every_tile(rig: OpenPyramidsRig, image: Live, data: bytes) -> int:
    """Request every tile, compare each answer, and return how many there were."""
    answered = 0
    for number, level in enumerate(levels_of(data)):
        for row in range(level.rows):
            for column in range(level.columns):
                place = (number, column, row)
                try:
                    tile = await rig.pyramids.use(image, lambda p, place=place: p.tile(*place))
                except Unavailable:
                    continue
                assert tile == stored_tile(data, *place)
                answered += 1
    return answered


@in_loop
async def test_a_store_that_changes_three_reads_in_ten_is_seen_through(tmp_path: Path) -> None:
    data, tiles = made("ours"), sum(len(level.tiles) for level in levels_of(made("ours")))
    changed = answered = 0
    for seed in range(ROUNDS):
        store = ChangingStore(chance=random.Random(seed))
        async with open_rig(tmp_path / str(seed), store=store) as rig:
            answered += await every_tile(rig, rig.publish(data), data)
            changed += store.changed
    assert changed > ROUNDS / 4, "or nothing was tried"
    assert answered >= 0.99 * ROUNDS * tiles, "and it costs hardly an answer"


@pytest.mark.parametrize("writer", ["ours", UNSEALED])
@in_loop
async def test_a_disk_that_changes_bits_is_seen_through(tmp_path: Path, writer: str) -> None:
    """In each 8 KiB a bit is other than it was, between all requests of a round and the next."""
    data, chance = made(writer), random.Random(11)
    tiles = sum(len(level.tiles) for level in levels_of(data))
    async with open_rig(tmp_path) as rig:
        image = rig.publish(data)
        assert await every_tile(rig, image, data) == tiles
        for _ in range(ROUNDS):
            [path] = tmp_path.glob("*.tif")
            damage_file(path, chance)
            assert await every_tile(rig, image, data) == tiles


def damage_file(path: Path, chance: random.Random) -> None:
    """Flip a bit in every 8 KiB of what is there of a sparse file."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        for start in range(0, path.stat().st_size, 8192):
            at = start + chance.randrange(8192)
            if byte := os.pread(descriptor, 1, at):
                os.pwrite(descriptor, bytes([byte[0] ^ 1 << chance.randrange(8)]), at)
    finally:
        os.close(descriptor)


@in_loop
async def test_what_stays_damaged_is_unavailable_and_rarely_asked_for(tmp_path: Path) -> None:
    offset, length = levels_of(made("ours"))[0].tiles[0]
    damaged = bytearray(made("ours"))
    damaged[offset + length // 2] ^= 1
    async with open_rig(tmp_path, clock=lambda: 0.0) as rig:
        image = rig.publish(bytes(damaged))
        for _ in range(50):
            with pytest.raises(Unavailable, match="the access master is damaged"):
                await rig.pyramids.use(image, lambda pyramid: pyramid.tile(0, 0, 0))
        assert len(rig.store.reads) < 30
        assert await rig.pyramids.use(image, lambda pyramid: pyramid.tile(0, 1, 1))
