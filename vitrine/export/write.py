"""Writing one unit of an export: its files, whole, and each in its place."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec

from vitrine.catalogue.records import ObjectRecord
from vitrine.errors import ObjectMissing, Unavailable, VitrineError
from vitrine.export import documents
from vitrine.export.bag import adopt_file, write_bytes
from vitrine.export.documents import SITE
from vitrine.export.ledger import Unit, WrittenFile
from vitrine.export.level0 import StaticFile, StaticImage
from vitrine.export.scan import INFORMATION, MANIFEST, PAGE, PICTURE, TILES
from vitrine.export.services import ExportOptions, ExportServices
from vitrine.export.stored_tiles import open_stored_tiles
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import V3
from vitrine.records import Live, record_from_json
from vitrine.store.omissions import FAULTS, describe_fault
from vitrine.store.tiff.entry import MalformedTiff


class NotExported(VitrineError):
    """A unit cannot be written; the message is a sentence that says why."""


class LeftOut(NotExported):
    """A unit cannot be written because of its own data: another run leaves it out as well."""


@dataclass(frozen=True)
class UnitWriter:
    """Writes units into `folder`, from any thread; `scratch` is on the same disk."""

    services: ExportServices
    options: ExportOptions
    folder: Path
    scratch: Path

    def write(self, unit: Unit) -> list[WrittenFile]:
        """Write the files of a unit. Raises NotExported, TransientError, OSError."""
        try:
            match unit.kind:
                case kind if kind == PICTURE:
                    return [self._write_picture(unit)]
                case kind if kind == TILES:
                    return self._write_tiles(_image_of(unit))
                case _:
                    made = self._make_documents(unit)
                    return [write_bytes(self.folder, *one) for one in made.items()]
        except (ObjectMissing, MalformedTiff, Unavailable) as error:
            raise NotExported(f"{unit.key}: {error}") from error
        except FAULTS as error:
            raise LeftOut(f"{unit.key}: {describe_fault(error)}") from error

    def _write_picture(self, unit: Unit) -> WrittenFile:
        image, part = _image_of(unit), self._scratch_file()
        try:
            if self.options.pictures == "masters":
                self.services.masters.download(image.master_key, part, image.master_version)
            else:
                self.services.access_masters.download(image.access_master_key, part)
            return adopt_file(self.folder, unit.facts["path"], part)
        finally:
            part.unlink(missing_ok=True)

    def _make_documents(self, unit: Unit) -> Mapping[str, bytes]:
        services, base = self.services, self.options.static_base
        of_image = "record" in unit.facts
        match unit.kind:
            case kind if kind == INFORMATION:
                return documents.static_information(services, _image_of(unit), base)
            case kind if kind == MANIFEST and of_image:
                return documents.image_documents(services, _image_of(unit))
            case kind if kind == MANIFEST:
                return documents.published_documents(services, unit.key.partition("/")[2])
            case kind if kind == PAGE and of_image:
                return documents.static_image_page(services, _image_of(unit), base)
            case _:
                record: ObjectRecord = msgspec.convert(unit.facts["object"], ObjectRecord)
                return documents.static_object_page(services, record, base)

    def _write_tiles(self, image: Live) -> list[WrittenFile]:
        """Write every picture of an image in the tree, each once, with links for its names."""
        static, part = StaticImage(image, ""), self._scratch_file()
        written: list[WrittenFile] = []
        try:
            self.services.access_masters.download(image.access_master_key, part)
            with open_stored_tiles(part, image.identifier) as tiles:
                for file in static.files():
                    body = tiles.find(file) or self._render_file(image, file)
                    first, *others = [
                        f"{SITE}{static.folder(version)}/{name}" for version, name in file.names
                    ]
                    written.append(write_bytes(self.folder, first, body))
                    written += [self._link_file(written[-1], other) for other in others]
        finally:
            part.unlink(missing_ok=True)
        return written

    def _render_file(self, image: Live, file: StaticFile) -> bytes:
        return self.services.render(f"{image_path(V3, image.identifier)}/{file.request()}")

    def _link_file(self, file: WrittenFile, path: str) -> WrittenFile:
        """Give a file a second name: as a link where the file system has links, else as a copy."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        with suppress(OSError):
            os.link(self.folder / file.path, target)
        if not target.exists():
            shutil.copyfile(self.folder / file.path, target)
        return WrittenFile(path, file.sha256, file.bytes)

    def _scratch_file(self) -> Path:
        return self.scratch / uuid4().hex


def _image_of(unit: Unit) -> Live:
    record = record_from_json(unit.facts["record"])
    assert isinstance(record, Live)
    return record
