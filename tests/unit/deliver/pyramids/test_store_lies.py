"""What a store says wrongly is not kept: once it is well again, so is every image."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.rigs.clock import Clock
from tests.unit.deliver.pyramids.open_rig import (
    CountingStore,
    OpenPyramidsRig,
    in_loop,
    levels_of,
    made,
    open_rig,
    record_of,
    stored_tile,
)
from vitrine.errors import STATUS, Unavailable
from vitrine.ports import ObjectPart
from vitrine.records import Live


@dataclass
class LyingStore(CountingStore):
    """Changes what it returns while `lie` is set."""

    lie: Callable[[ObjectPart, int], ObjectPart] | None = None

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        part = super().read(key, start, length, version=version, if_etag=if_etag)
        return self.lie(part, start) if self.lie else part


def garbled(part: ObjectPart, start: int) -> ObjectPart:
    """Zeros, as a broken proxy sends them."""
    return replace(part, data=bytes(len(part.data)))


def cut_short(part: ObjectPart, start: int) -> ObjectPart:
    """Half of the object, with a size that agrees."""
    half = part.data[: len(part.data) // 2]
    return replace(part, data=half, size=len(half)) if start == 0 else part


def of_another(part: ObjectPart, start: int) -> ObjectPart:
    """The head of another pyramid."""
    other = made("libvips-rgb")
    size = min(len(part.data), len(other) - start)
    return replace(part, data=other[start : start + size].ljust(len(part.data), b"\0"))


LIES = [garbled, cut_short, of_another]


async def last_tile(rig: OpenPyramidsRig, image: Live) -> bytes:
    return await rig.pyramids.use(image, lambda pyramid: pyramid.tile(0, 2, 2))


@pytest.mark.parametrize("lie", LIES)
@in_loop
async def test_a_head_that_was_wrong_once_is_fetched_again_at_once(
    tmp_path: Path, lie: Callable[[ObjectPart, int], ObjectPart]
) -> None:
    data, store = made("ours"), LyingStore()

    def once(part: ObjectPart, start: int) -> ObjectPart:
        store.lie = None
        return lie(part, start)

    async with open_rig(tmp_path, store=store) as rig:
        image = rig.publish(data)
        store.lie = once
        assert await last_tile(rig, image) == stored_tile(data, 0, 2, 2)


@pytest.mark.parametrize("lie", LIES)
@in_loop
async def test_a_store_that_is_well_again_serves_every_image_soon(
    tmp_path: Path, lie: Callable[[ObjectPart, int], ObjectPart]
) -> None:
    data, store, clock = made("ours"), LyingStore(), Clock(1000.0)
    async with open_rig(tmp_path, store=store, clock=clock) as rig:
        image = rig.publish(data)
        store.lie = lie
        for _ in range(100):
            with pytest.raises(Unavailable) as caught:
                await last_tile(rig, image)
            assert STATUS[type(caught.value)] == 503
            clock.now += 3.0
        assert len(store.reads) < 60, "less and less often while it does not help"
        store.lie = None
        clock.now += 60.0
        assert await last_tile(rig, image) == stored_tile(data, 0, 2, 2)


@in_loop
async def test_a_wrong_index_is_fetched_again_when_a_tile_is_not_where_it_says(
    tmp_path: Path,
) -> None:
    data, store = made("ours"), LyingStore()
    offset, _ = levels_of(data)[0].tiles[-1]
    true = offset.to_bytes(4, "little")
    assert data.count(true) == 1
    wrong = data.replace(true, (offset + 1).to_bytes(4, "little"))

    def once(part: ObjectPart, start: int) -> ObjectPart:
        store.lie = None
        return replace(part, data=wrong[start : start + len(part.data)])

    async with open_rig(tmp_path, store=store) as rig:
        image = rig.publish(data, record_of(data))
        store.lie = once
        assert await last_tile(rig, image) == stored_tile(data, 0, 2, 2)
