"""Old access masters get checksums: no tile changes, nothing is lost, and both can be served."""

from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import pyvips

from tests import patience
from tests.unit.deliver.pyramids.open_rig import in_loop, open_rig
from tests.unit.ingest.repair.sealing_house import (
    House,
    master,
    old_edition,
    sealed,
    tiles,
    with_ports,
)
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.identify.redirects.bulk import Workers
from vitrine.ingest.repair.seal_access_masters import Sealing
from vitrine.ports import ObjectInfo
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG
from vitrine.store.tiff.checksums import has_seal


@pytest.fixture
def house() -> House:
    return House(old=2, new=1)


@pytest.mark.slow
def test_every_tile_of_a_sealed_copy_is_the_old_one(house: House, tmp_path: Path) -> None:
    before = {name: (house.live(name), house.body(name)) for name in "ab"}
    sealing = sealed(house.services, tmp_path)
    assert +sealing.counts == {"sealed": 1, "unsealed": 2, "made": 2}
    for name, (image, body) in before.items():
        assert not has_seal(body)
        assert has_seal(house.body(name))
        assert tiles(house.body(name)) == tiles(body)
        now = house.live(name)
        # Version and date are what the ETag and the caches go by.
        assert (now.version, now.published_at, now.levels) == (
            image.version,
            image.published_at,
            image.levels,
        )
        assert now.access_master_bytes == len(house.body(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_both_editions_can_be_read_until_the_old_one_expires(house: House, tmp_path: Path) -> None:
    old = house.live("a")
    body = house.body("a")
    sealed(house.services, tmp_path)
    assert house.store.get(old.access_master_key)[0] == body
    assert house.store.tags(old.access_master_key) == SUPERSEDED_TAG
    assert house.store.tags(house.live("a").access_master_key) == {}
    assert house.store.head(house.live("a").access_master_key).metadata["recipe"] == "standard-3"


@in_loop
async def test_a_gateway_gives_the_same_tiles_of_both_side_by_side(tmp_path: Path) -> None:
    house = House(old=1, new=0)
    old = house.live("a")
    sealed(house.services, tmp_path)
    async with open_rig(tmp_path / "cache", store=house.store) as rig:
        first, second = await rig.pyramids.open(old), await rig.pyramids.open(house.live("a"))
        for number, level in enumerate(first.levels):
            for column in range(-(-level.width // 256)):
                for row in range(-(-level.height // 256)):
                    tile = await first.tile(number, column, row)
                    assert tile == await second.tile(number, column, row)


@pytest.mark.slow
def test_libvips_reads_the_same_pixels(house: House, tmp_path: Path) -> None:
    before = pyvips.Image.new_from_buffer(house.body("a"), "").numpy()
    sealed(house.services, tmp_path)
    assert (pyvips.Image.new_from_buffer(house.body("a"), "").numpy() == before).all()


@pytest.mark.slow
def test_a_dry_run_counts_and_writes_nothing(house: House, tmp_path: Path) -> None:
    before = dict(house.store.head(house.live("a").access_master_key).metadata)
    images = [house.live(name) for name in "abc"]
    sealing = sealed(house.services, tmp_path, only_find=True)
    assert +sealing.counts == {"sealed": 1, "unsealed": 2}
    assert sealing.unsealed_bytes == len(house.body("a")) + len(house.body("b"))
    assert [house.live(name) for name in "abc"] == images
    assert before["recipe"] == "standard-3"


@pytest.mark.slow
def test_a_run_that_was_stopped_is_continued(house: House, tmp_path: Path) -> None:
    broken = Breaking(house.store, times=1, methods=frozenset({"upload"}))
    with pytest.raises(TransientError):
        sealed(with_ports(house, access_masters=broken), tmp_path)
    again = sealed(house.services, tmp_path)
    assert again.counts["sealed"] + again.counts["made"] == 3
    assert again.counts["made"] >= 1
    third = sealed(house.services, tmp_path)
    assert +third.counts == {"sealed": 3}


@pytest.mark.slow
def test_a_copy_whose_record_was_not_changed_is_made_good(house: House, tmp_path: Path) -> None:
    broken = Breaking(house.services.identifiers, times=1, methods=frozenset({"write"}))
    with pytest.raises(TransientError):
        sealed(with_ports(house, identifiers=broken), tmp_path)
    sealed(house.services, tmp_path)
    assert all(has_seal(house.body(name)) for name in "abc")


@pytest.mark.slow
def test_an_image_that_is_published_meanwhile_stays_as_it_is(house: House, tmp_path: Path) -> None:
    newer: list[Live] = []

    class Publishing(MemoryObjectStore):
        """Somebody publishes another version while the copy is sent."""

        def upload(self, path: Path, key: str, **options: Any) -> ObjectInfo:
            if not newer:
                house.services.masters.put("a.png", master(9), content_type="image/png")
                house.services.ingest("a.png")
                newer.append(house.live("a"))
            return house.store.upload(path, key, **options)

    store = Publishing()
    store.__dict__.update({**house.store.__dict__})
    services = replace(house.services, access_masters=store)
    sealing = sealed(services, tmp_path, at_once=1)
    assert sealing.counts["changed"] == 1
    assert house.live("a") == newer[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"no TIFF at all", "TIFF"), (old_edition(0)[:-9_000], "ends"), (b"", "")],
)
def test_what_cannot_be_sealed_is_named_and_served_as_before(
    house: House, tmp_path: Path, body: bytes, reason: str
) -> None:
    house.make_old("a", body)
    image = house.live("a")
    sealing = sealed(house.services, tmp_path)
    assert (sealing.counts["unreadable"], sealing.counts["made"]) == (1, 1)
    assert reason in sealing.reasons[image.access_master_key]
    assert house.live("a") == image


class Damaging(MemoryObjectStore):
    """Changes a bit of the downloads with these numbers; keeps checksums only where asked to."""

    def __init__(self, store: MemoryObjectStore, damaged: Container[int], checksums: bool) -> None:
        super().__init__()
        self.__dict__.update(store.__dict__)
        self.damaged, self.checksums, self.downloads = damaged, checksums, 0

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        info = super().download(key, path, version)
        self.downloads += 1
        if self.downloads in self.damaged:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        return info if self.checksums else replace(info, checksum="")


def test_bytes_that_a_store_changed_on_the_way_are_not_sealed(tmp_path: Path) -> None:
    house = House(old=1, new=0)
    store = Damaging(house.store, range(1, 9, 2), checksums=False)
    sealing = sealed(with_ports(house, access_masters=store), tmp_path)
    assert (sealing.counts["unreadable"], sealing.counts["made"]) == (1, 0)
    assert list(sealing.reasons.values()) == [
        "It was read differently twice. It was tried 3 times."
    ]
    assert store.downloads == 6


def test_bytes_that_are_not_those_of_the_objects_own_checksum_are_not_sealed(
    tmp_path: Path,
) -> None:
    house = House(old=1, new=0)
    image = house.live("a")
    # The same wrong bytes at each read: two reads that are alike would prove nothing.
    store = Damaging(house.store, range(1, 9), checksums=True)
    sealing = sealed(with_ports(house, access_masters=store), tmp_path)
    assert (sealing.counts["unreadable"], sealing.counts["made"]) == (1, 0)
    checksum = house.store.head(image.access_master_key).checksum
    assert f"not those of its checksum in the store, {checksum}" in str(sealing.reasons)
    assert house.live("a") == image
    assert not has_seal(house.body("a"))


@pytest.mark.slow
def test_one_wrong_read_is_mended_by_the_next_and_a_right_one_is_enough(tmp_path: Path) -> None:
    house = House(old=2, new=0)
    before = tiles(house.body("a"))
    store = Damaging(house.store, {1}, checksums=True)
    sealing = sealed(with_ports(house, access_masters=store), tmp_path, at_once=1)
    assert (sealing.counts["made"], store.downloads) == (2, 3)
    assert tiles(house.body("a")) == before


@pytest.mark.slow
def test_nobody_is_told_as_no_answer_changes(house: House, tmp_path: Path) -> None:
    """CloudFront would charge for dropping what is right."""
    events: Any = house.services.events
    before = len(events.events)
    assert sealed(house.services, tmp_path).counts["made"] == 2
    assert events.events[before:] == []


@pytest.mark.slow
def test_several_are_sealed_at_once_and_no_more_than_told(tmp_path: Path) -> None:
    house, under_way, most = House(old=4, new=0), [], []

    class Watching(MemoryObjectStore):
        def upload(self, path: Path, key: str, **options: Any) -> ObjectInfo:
            under_way.append(key)
            both.wait(timeout=patience.SECONDS)
            most.append(len(list(tmp_path.glob("*/before.tif"))))
            under_way.remove(key)
            return super().upload(path, key, **options)

    both = Barrier(2)
    store = Watching()
    store.__dict__.update(house.store.__dict__)
    sealing = sealed(with_ports(house, access_masters=store), tmp_path, at_once=2)
    assert sealing.counts["made"] == 4
    assert 1 <= min(most) <= max(most) <= 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_progress_ends_with_all_bytes(house: House, tmp_path: Path) -> None:
    looked: list[int] = []
    done: list[int] = []
    with Workers(2) as workers:
        sealing = Sealing(house.services, tmp_path, workers)
        sealing.find(looked.append)
        sealing.seal(done.append)
    assert looked == [1, 2, 3]
    assert done == sorted(done)
    assert done[-1] == sealing.unsealed_bytes


@pytest.mark.slow
def test_what_was_replaced_since_it_was_found_is_left_alone(house: House, tmp_path: Path) -> None:
    with Workers(1) as workers:
        sealing = Sealing(house.services, tmp_path, workers)
        sealing.find(lambda done: None)
        house.services.masters.put("a.png", master(9), content_type="image/png")
        house.services.ingest("a.png")
        newer = house.live("a")
        sealing.seal(lambda done: None)
    assert (sealing.counts["changed"], sealing.counts["made"]) == (1, 1)
    assert house.live("a") == newer
