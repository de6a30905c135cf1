"""Old access masters get checksums: no tile changes, nothing is lost, and both can be served."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips

from tests.unit.deliver.pyramids.open_rig import in_loop, open_rig, record_of
from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.events import ImageChanged
from vitrine.ingest.repair.seal_access_masters import Sealing
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG
from vitrine.store.tiff.checksums import has_seal
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.pyramid import read_levels
from vitrine.store.tiff.reading import TiffReader

TILED: dict[str, Any] = {"tile": True, "tile_width": 256, "tile_height": 256, "pyramid": True}


def tiles(data: bytes) -> list[list[bytes]]:
    """The tiles of each level."""
    levels = read_levels(TiffReader(lambda start, size: data[start : start + size], len(data)))
    return [[data[at : at + count] for at, count in level.tiles] for level in levels]


def old_edition(number: int) -> bytes:
    """A pyramid without checksums, as libvips writes it."""
    image = image_of(np.roll(picture(700, 523), number, axis=1))
    return bytes(image.tiffsave_buffer(compression="jpeg", Q=90, **TILED))


def master(number: int) -> bytes:
    return bytes(image_of(np.roll(picture(700, 523), number, axis=1)).pngsave_buffer())


class House:
    """Images in memory, of which some have access masters of the first edition."""

    def __init__(self, old: int, new: int) -> None:
        self.services = MemoryIngestServices()
        self.store: MemoryObjectStore = self.services.access_masters
        for number, name in enumerate("abcd"[: old + new]):
            self.services.masters.put(f"{name}.png", master(number), content_type="image/png")
            self.services.ingest(f"{name}.png")
        for number, name in enumerate("abcd"[:old]):
            self.make_old(name, old_edition(number))

    def make_old(self, identifier: str, data: bytes) -> None:
        """Let an image have this access master, as if it had been published with it."""
        image = self.live(identifier)
        with suppress(MalformedTiff):
            image = replace(image, levels=record_of(data).levels)
        metadata = {"recipe": "standard-3"}
        self.store.put(image.access_master_key, data, content_type="image/tiff", metadata=metadata)
        self.services.register.change(
            identifier, lambda current: replace(image, access_master_bytes=len(data))
        )

    def live(self, identifier: str) -> Live:
        record = self.services.identifiers.get(identifier)
        assert isinstance(record, Live)
        return record

    def body(self, identifier: str) -> bytes:
        return self.store.get(self.live(identifier).access_master_key)[0]


@pytest.fixture
def house() -> House:
    return House(old=2, new=1)


def _with(house: House, **ports: Any) -> IngestServices:
    return replace(house.services, **ports)


def test_every_tile_of_a_sealed_copy_is_the_old_one(house: House, tmp_path: Path) -> None:
    before = {name: (house.live(name), house.body(name)) for name in "ab"}
    sealing = Sealing(house.services, tmp_path)
    sealing.walk()
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


def test_both_editions_can_be_read_until_the_old_one_expires(house: House, tmp_path: Path) -> None:
    old = house.live("a")
    body = house.body("a")
    Sealing(house.services, tmp_path).walk()
    assert house.store.get(old.access_master_key)[0] == body
    assert house.store.tags(old.access_master_key) == SUPERSEDED_TAG
    assert house.store.tags(house.live("a").access_master_key) == {}
    assert house.store.head(house.live("a").access_master_key).metadata["recipe"] == "standard-3"


@in_loop
async def test_a_gateway_gives_the_same_tiles_of_both_side_by_side(tmp_path: Path) -> None:
    house = House(old=1, new=0)
    old = house.live("a")
    Sealing(house.services, tmp_path).walk()
    async with open_rig(tmp_path / "cache", store=house.store) as rig:
        first, second = await rig.pyramids.open(old), await rig.pyramids.open(house.live("a"))
        for number, level in enumerate(first.levels):
            for column in range(-(-level.width // 256)):
                for row in range(-(-level.height // 256)):
                    tile = await first.tile(number, column, row)
                    assert tile == await second.tile(number, column, row)


def test_libvips_reads_the_same_pixels(house: House, tmp_path: Path) -> None:
    before = pyvips.Image.new_from_buffer(house.body("a"), "").numpy()
    Sealing(house.services, tmp_path).walk()
    assert (pyvips.Image.new_from_buffer(house.body("a"), "").numpy() == before).all()


def test_a_dry_run_counts_and_writes_nothing(house: House, tmp_path: Path) -> None:
    before = dict(house.store.head(house.live("a").access_master_key).metadata)
    images = [house.live(name) for name in "abc"]
    sealing = Sealing(house.services, tmp_path, dry_run=True)
    sealing.walk()
    assert +sealing.counts == {"sealed": 1, "unsealed": 2}
    assert sealing.unsealed_bytes == len(house.body("a")) + len(house.body("b"))
    assert [house.live(name) for name in "abc"] == images
    assert before["recipe"] == "standard-3"


def test_a_run_that_was_stopped_is_continued(house: House, tmp_path: Path) -> None:
    broken = Breaking(house.store, times=1, methods=frozenset({"upload"}))
    with pytest.raises(TransientError):
        Sealing(_with(house, access_masters=broken), tmp_path).walk()
    again = Sealing(house.services, tmp_path)
    again.walk()
    assert again.counts["made"] == 2
    third = Sealing(house.services, tmp_path)
    third.walk()
    assert +third.counts == {"sealed": 3}


def test_a_copy_whose_record_was_not_changed_is_made_good(house: House, tmp_path: Path) -> None:
    broken = Breaking(house.services.identifiers, times=1, methods=frozenset({"write"}))
    with pytest.raises(TransientError):
        Sealing(_with(house, identifiers=broken), tmp_path).walk()
    Sealing(house.services, tmp_path).walk()
    assert all(has_seal(house.body(name)) for name in "abc")


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
    sealing = Sealing(services, tmp_path)
    sealing.walk()
    assert sealing.counts["changed"] == 1
    assert house.live("a") == newer[0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"no TIFF at all", "TIFF"), (old_edition(0)[:-9_000], "ends"), (b"", "")],
)
def test_what_cannot_be_sealed_is_named_and_served_as_before(
    house: House, tmp_path: Path, body: bytes, reason: str
) -> None:
    house.make_old("a", body)
    image = house.live("a")
    sealing = Sealing(house.services, tmp_path)
    sealing.walk()
    assert (sealing.counts["unreadable"], sealing.counts["made"]) == (1, 1)
    assert reason in sealing.reasons[image.access_master_key]
    assert house.live("a") == image


def test_bytes_that_a_store_changed_on_the_way_are_not_sealed(house: House, tmp_path: Path) -> None:
    class Flipping(MemoryObjectStore):
        """Changes a bit of every other download."""

        downloads = 0

        def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
            info = super().download(key, path, version)
            self.downloads += 1
            if self.downloads % 2:
                data = bytearray(path.read_bytes())
                data[len(data) // 2] ^= 1
                path.write_bytes(data)
            return info

    store = Flipping()
    store.__dict__.update({**house.store.__dict__})
    sealing = Sealing(replace(house.services, access_masters=store), tmp_path)
    sealing.walk()
    assert (sealing.counts["unreadable"], sealing.counts["made"]) == (2, 0)
    assert set(sealing.reasons.values()) == {"It was read differently twice."}


def test_gateways_and_the_edge_are_told_once_for_each_image(house: House, tmp_path: Path) -> None:
    events: Any = house.services.events
    before = len(events.events)
    Sealing(house.services, tmp_path).walk()
    sent = events.events[before:]
    assert [name for name, _ in sent] == [ImageChanged.of(house.live("a")).name()] * 2
