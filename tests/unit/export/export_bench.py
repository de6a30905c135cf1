"""A service in memory whose images were really converted, and what is exported from it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyvips

from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.export.export import Export, export
from vitrine.export.services import ExportOptions, ExportServices
from vitrine.identify.journal import Journal
from vitrine.identify.register import Register
from vitrine.iiif.paths import image_path
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3
from vitrine.ingest.publish.curation import Curation
from vitrine.ports import ObjectInfo
from vitrine.records import Live

EDGE, COPY = "https://images.example.org", "https://copy.example.org/museum"
RIGHTS = "http://creativecommons.org/publicdomain/mark/1.0/"
IMAGES = {"one": (1301, 1003), "two/夜 警": (200, 150), "three": (2600, 520)}
"""Identifiers, one with what addresses encode, and sizes: odd, of one tile, and long."""


class CountedStore(MemoryObjectStore):
    """Remembers what was downloaded, and fails at the download with that number."""

    def __init__(self) -> None:
        super().__init__()
        self.downloads: list[str] = []
        self.fails_at = 0

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        self.downloads.append(key)
        if len(self.downloads) == self.fails_at:
            raise KeyboardInterrupt
        return super().download(key, path, version)


class ExportBench:
    """Images, objects and what exports them."""

    def __init__(self, images: dict[str, tuple[int, int]] = IMAGES) -> None:
        self.ingest = MemoryIngestServices(masters=CountedStore(), access_masters=CountedStore())
        self.rendered: list[str] = []
        for number, (identifier, (width, height)) in enumerate(images.items()):
            self.add_image(identifier, picture(width, height, number))
        self.site: Any = MemoryObjectStore()
        self.publisher = Publisher(
            site=self.site,
            records=self.ingest.records,
            catalogue=Catalogue(MemoryCatalogueTable(), objects_journal(self.ingest.records)),
            identifiers=self.ingest.identifiers,
            events=self.ingest.events,
            presentation=Presentation(base=EDGE, limits=Limits(area=25_000_000), rights=RIGHTS),
        )
        self.objects = Objects(self.publisher)
        self.register = Register(
            self.ingest.identifiers, Journal(self.ingest.records), self.ingest.events
        )
        self.curation = Curation(
            register=self.register, masters=self.ingest.masters, outcomes=self.ingest.outcomes
        )
        self.services = ExportServices(
            masters=self.ingest.masters,
            access_masters=self.ingest.access_masters,
            records=self.ingest.records,
            site=self.site,
            identifiers=self.ingest.identifiers,
            catalogue=self.publisher.catalogue,
            presentation=self.publisher.presentation,
            render=self.render,
        )

    def add_image(self, identifier: str, body: bytes, key: str = "") -> None:
        self.ingest.masters.put(
            key or f"{len(self.ingest.identifiers.newest(99))}.TIF",
            body,
            content_type="image/tiff",
            metadata={"identifier": identifier},
        )
        outcome = self.ingest.ingest(key or f"{len(self.ingest.identifiers.newest(99))}.TIF")
        assert outcome is not None
        assert outcome.state == "published", outcome

    def live(self, identifier: str) -> Live:
        record = self.ingest.identifiers.get(identifier)
        assert isinstance(record, Live)
        return record

    def render(self, path: str) -> bytes:
        """Render whole levels, all that our own access masters leave to a renderer."""
        self.rendered.append(path)
        for identifier in IMAGES:
            prefix = f"{image_path(V3, identifier)}/full/"
            if path.startswith(prefix):
                image = self.live(identifier)
                size = tuple(map(int, path.removeprefix(prefix).split("/")[0].split(",")))
                body, _ = self.ingest.access_masters.get(image.access_master_key)
                page = image.levels.index(size)
                level = pyvips.Image.tiffload_buffer(body, page=page)
                made: bytes = level.jpegsave_buffer(Q=90)
                return made
        raise AssertionError(path)

    def export(
        self, folder: Path, *, static: bool = True, only_predict: bool = False, **changes: Any
    ) -> Export:
        options = replace(ExportOptions(static_base=COPY if static else ""), **changes)
        return export(self.services, options, folder, only_predict=only_predict)

    @property
    def downloads(self) -> list[str]:
        """Keys of all masters and access masters that were fetched."""
        stores = (self.ingest.masters, self.ingest.access_masters)
        return [key for store in stores for key in store.downloads]  # type: ignore[attr-defined]


def picture(width: int, height: int, seed: int) -> bytes:
    """A smooth RGB picture as TIFF."""
    rows, columns = np.mgrid[0:height, 0:width]
    waves = [np.sin(rows / (30 + seed)), np.cos(columns / 40), np.sin((rows + columns) / 50)]
    pixels = (128 + 100 * np.stack(waves, axis=-1)).astype(np.uint8)
    made: bytes = pyvips.Image.new_from_array(pixels, interpretation="srgb").tiffsave_buffer()
    return made


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_tree(folder: Path) -> dict[str, bytes]:
    """Every file by its path in the folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
