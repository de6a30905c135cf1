"""Images of which some have access masters of the first edition, to be sealed."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.unit.deliver.pyramids.open_rig import record_of
from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.identify.redirects.bulk import Workers
from vitrine.ingest.repair.seal_access_masters import Sealing
from vitrine.ingest.services import IngestServices
from vitrine.records import Live
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


def sealed(
    services: IngestServices, scratch: Path, *, only_find: bool = False, at_once: int = 2
) -> Sealing:
    """Find what has no checksums, and seal it. Nothing is tried again after a failure."""
    with Workers(at_once, wait=_give_up) as workers:
        sealing = Sealing(services, scratch, workers)
        sealing.find(lambda done: None)
        if not only_find:
            sealing.seal(lambda done: None)
    (scratch / "unsealed.jsonl").unlink()
    return sealing


def _give_up(seconds: float) -> None:
    raise TransientError("It is not tried again.")


def with_ports(house: House, **ports: Any) -> IngestServices:
    return replace(house.services, **ports)
