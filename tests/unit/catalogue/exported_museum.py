"""A museum that is exported, and reads its export back."""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tests.unit.catalogue.object_bench import ObjectBench
from tests.unit.catalogue.rules_museum import COLLECTIONS, IMAGES, Museum, uploaded
from tests.unit.catalogue.tables_museum import TablesMuseum
from vitrine.catalogue.records import ObjectRecord, rule_of
from vitrine.errors import IdentifierRefused
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import (
    ReadBack,
    announce_objects,
    restore_objects,
    restore_rules,
)
from vitrine.export.written_lists import IDENTIFIERS, OBJECTS, record_line
from vitrine.identify.effective_rule import has_own_rule, rules_of_collections
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.publish.curation import Curation
from vitrine.records import Live, Record, Redirect, Removed


@dataclass(frozen=True)
class SavedMuseum:
    """The records of an export."""

    identifiers: list[Record]
    objects: list[ObjectRecord]
    rules: dict[str, dict[str, str]]
    """Those that images have from collections."""
    closed: set[str]
    """The images that collections closed, whether they have that rule already or not."""

    def announce_objects(self, bench: ObjectBench) -> None:
        with TemporaryDirectory() as folder:
            announce_objects(bench.publisher, self._write(Path(folder)))

    def restore_rules(self, curation: Curation, *, of_redirects: bool = False) -> None:
        with TemporaryDirectory() as folder:
            lists = self._write(Path(folder))
            restore_rules(curation, lists, ReadBack(), _ignore, of_redirects=of_redirects)

    def restore_redirects(self, curation: Curation) -> None:
        """What replaces an image or leads back is left out, as by an import."""
        for record in self.identifiers:
            if isinstance(record, Redirect):
                with suppress(IdentifierRefused):
                    Redirects(curation.register).add(
                        record.identifier, record.target, allow_dangling=True
                    )
        self.restore_rules(curation, of_redirects=True)

    def restore_objects(self, bench: ObjectBench) -> None:
        with TemporaryDirectory() as folder:
            restore_objects(bench.objects, self._write(Path(folder)), ReadBack(), _ignore)

    def _write(self, folder: Path) -> ExportedLists:
        (folder / "data").mkdir()
        said = [one for one in self.identifiers if one.access or not isinstance(one, Removed)]
        identifiers = "".join(
            json.dumps(record_line(one, self.rules[one.identifier])) + "\n" for one in said
        )
        (folder / "data" / IDENTIFIERS).write_text(identifiers)
        objects = b"".join(msgspec.json.encode(one) + b"\n" for one in self.objects)
        (folder / "data" / OBJECTS).write_bytes(objects)
        return ExportedLists(folder)


def _save(museum: Museum, images: Iterable[str]) -> SavedMuseum:
    """Read what an export has of these images, and of all objects and collections."""
    bench, journal = museum.bench, museum.bench.publisher.journal
    records = [record for name in images if (record := bench.identifiers.get(name))]
    shown = [record for name in images if (record := bench.publisher.shown.get(name))]
    return SavedMuseum(
        records,
        [record for name in journal.identifiers() if (record := journal.latest(name))],
        {one.identifier: rules_of_collections(one, bench.publisher.rules()) for one in records},
        (museum.closed_by_collections() & {one.identifier for one in records} - museum.own.keys())
        | _closed_images(one for one in shown if not isinstance(one, Redirect)),
    )


def _ignore(done: int) -> None:
    pass


class ExportedMuseum(TablesMuseum):
    """What was said of collections and images, also by an export."""

    def __init__(self, saved: SavedMuseum | None = None) -> None:
        super().__init__()
        self.saved = saved or SavedMuseum([], [], {}, set())

    def export(self) -> None:
        self.saved = _save(self, IMAGES)

    def move(self) -> None:
        """Go on in an environment that has nothing of this one but what was exported."""
        ExportedMuseum.__init__(self, self.saved)

    def import_(self, is_stopped: bool) -> None:
        """Read the newest export back, all of it or only its rules: nothing may open by it."""
        own = {image for image, rule in self.own.items() if rule == "closed"}
        # Not those of tables whose collection is yet to be put: it has another rule until then.
        closed = self._closed_images() & (own | self.closed_by_collections())
        self.saved.restore_rules(self.curation)
        self.saved.announce_objects(self.bench)
        assert self.saved.closed <= self._closed_images()
        if not is_stopped:
            for record in self.saved.identifiers:
                if isinstance(record, Live):
                    self.services.register.change(
                        record.identifier, partial(uploaded, record.identifier)
                    )
            self.saved.restore_redirects(self.curation)
            self.saved.restore_objects(self.bench)
        for image in IMAGES:
            record = self.bench.identifiers.get(image)
            if record and has_own_rule(record):
                self.own[image] = record.access
            else:
                self.own.pop(image, None)
        for name in COLLECTIONS:
            rule = rule_of(self.bench.publisher.journal.latest(name))
            assert rule == "closed" or self.said.get(name) != "closed", name
            self.said[name] = rule
        assert closed <= self._closed_images()

    def _closed_images(self) -> set[str]:
        return _closed_images(map(self.bench.publisher.shown.get, IMAGES))


def _closed_images(records: Iterable[Record | None]) -> set[str]:
    return {one.identifier for one in records if one and one.access == "closed"}
