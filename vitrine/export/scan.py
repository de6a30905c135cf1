"""Finding out what an export has to hold: a unit for all that is published, and the lists."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from vitrine.catalogue.records import ObjectRecord, objects_journal
from vitrine.errors import ObjectMissing, RecordDamaged
from vitrine.export.bag import adopt_file
from vitrine.export.documents import is_open, open_images
from vitrine.export.ledger import ExportLedger, Unit
from vitrine.export.names import file_name
from vitrine.export.services import ExportOptions, ExportServices
from vitrine.export.written_lists import LISTS, Lists
from vitrine.identify.effective_rule import as_shown, rules_of_collections
from vitrine.identify.journal import Journal
from vitrine.identify.public_image import described_image
from vitrine.identify.redirects.bulk import BATCH, Workers
from vitrine.records import Live, Record, record_as_json
from vitrine.slices import split_batches
from vitrine.store.layout import JOURNAL, metadata_key, parse_journal_key, publication_key
from vitrine.store.omissions import FAULTS, describe_fault
from vitrine.store.publications import (
    Moved,
    Publication,
    Published,
    Waiting,
    Withdrawn,
    decode_publication,
)
from vitrine.store.revisions import list_folder

PICTURE, TILES, INFORMATION, MANIFEST, PAGE, LIST = (
    *("picture", "tiles", "information", "manifest", "page", "list"),
)
KINDS = (PICTURE, TILES, INFORMATION, MANIFEST, PAGE)
"""Kinds of units, but for the lists. A page is the documents of an object in the static tree."""
_PAGE_FORM = 2
"""Form of an object's documents in the static tree: if it changes, all are written again."""
TILE_OVERHEAD_BYTES = 28_000
"""Bytes of a tile as a file beyond its picture: its tables and metadata, the empty part of its last
block on disk, and the three folders of each of its two addresses, a block each."""


@dataclass(frozen=True, slots=True)
class _Image:
    record: Live
    shown: Live
    """As it is shown: under the rule that holds."""
    master_bytes: int
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Object:
    record: ObjectRecord | None
    publication: Publication | None = None
    etag: str = ""
    open_images: str = ""
    is_damaged: bool = False
    """True if what is published of it cannot be read."""


@dataclass(frozen=True, slots=True)
class _Damaged:
    identifier: str


T = TypeVar("T")


@dataclass(frozen=True)
class Scan:
    """Reads what is published into `ledger`; the lists are written in `scratch`.

    What is damaged is left out, and what an earlier run wrote of it stays.
    """

    services: ExportServices
    options: ExportOptions
    ledger: ExportLedger
    scratch: Path
    left_out: list[str] = field(default_factory=list)
    """Sentences about what is damaged."""

    def run(self, on_progress: Callable[[int], None]) -> Counter[str]:
        """Plan every unit but the lists; return how many records of each kind there are.

        Raises TransientError; nothing that was exported before is lost then.
        """
        counts: Counter[str] = Counter()
        lists = Lists(self.scratch)
        try:
            with Workers() as workers:
                self._scan_images(workers, lists, counts, on_progress)
                self._scan_objects(workers, lists, counts, on_progress)
        finally:
            lists.close()
        return counts

    def adopt_lists(self, folder: Path) -> None:
        """Move the lists of a run into the export in `folder`, whose seal is broken."""
        for name in LISTS:
            written = adopt_file(folder, f"data/{name}", self.scratch / name)
            unit = Unit(f"{LIST}/{name}", written.sha256, {}, written.bytes)
            self.ledger.plan([unit])
            self.ledger.finish(unit, [written])

    def _scan_images(
        self,
        workers: Workers,
        lists: Lists,
        counts: Counter[str],
        on_progress: Callable[[int], None],
    ) -> None:
        def read_batch(names: list[str]) -> Mapping[str, Record | RecordDamaged]:
            return self.services.identifiers.get_many(names, consistent=True)

        def look(one: tuple[str, Record | RecordDamaged]) -> Record | _Image | _Damaged:
            return self._attempt_read(one[0], lambda: self._look_at(*one))

        batches = workers.map(read_batch, split_batches(_list_identifiers(self.services), BATCH))
        records = (one for batch in batches for one in sorted(batch.items()))
        sound: Iterator[Record | _Image] = self._skip_damaged(workers.map(look, records))
        for found in sound:
            record = found.record if isinstance(found, _Image) else found
            counts[type(record).__name__] += 1
            on_progress(counts.total())
            lists.add_record(record, rules_of_collections(record, self.services.rules()))
            if isinstance(found, _Image):
                self._plan_image(found)
                if source := self._picture_path(found.record):
                    lists.add_image(found.record, found.metadata, source)

    def _attempt_read(self, identifier: str, work: Callable[[], T]) -> T | _Damaged:
        try:
            return work()
        except FAULTS as error:
            self.left_out.append(f'"{identifier}" is damaged: {describe_fault(error)}')
            return _Damaged(identifier)

    def _skip_damaged(self, found: Iterable[T | _Damaged]) -> Iterator[T]:
        for one in found:
            if isinstance(one, _Damaged):
                self._keep_units(one.identifier)
            else:
                yield one

    def _keep_units(self, identifier: str) -> None:
        self.ledger.keep(f"{kind}/{identifier}" for kind in KINDS)

    def _look_at(self, name: str, record: Record | RecordDamaged | None) -> Record | _Image:
        """Add to an image what its record does not say. Raises what damage raises."""
        if isinstance(record, RecordDamaged):
            # The journal is the truth, and the table its copy.
            record = Journal(self.services.records).latest(name)
        if record is None:
            raise ObjectMissing(f"the journal has no entry of {name}")
        if not isinstance(record, Live):
            return record
        size = record.access_master_bytes
        if self.options.pictures == "masters":
            try:
                size = self.services.masters.head(record.master_key).size
            except ObjectMissing:
                size = 0  # writing it says so
        try:
            body, _ = self.services.records.get(metadata_key(record.identifier))
            metadata = json.loads(body)["metadata"]
        except ObjectMissing:
            metadata = {}
        return _Image(record, as_shown(record, self.services.rules()), size, metadata)

    def _plan_image(self, found: _Image) -> None:
        image = found.shown
        name, facts = image.identifier, {"record": record_as_json(image)}
        rights = self.services.presentation.rights
        size = f"{image.width}x{image.height}/{len(image.levels)}"
        units = []
        if described_image(image):
            version = f"{size} {rights}" + (f" {image.access}" if not is_open(image) else "")
            units.append(Unit(f"{MANIFEST}/{name}", version, facts, 2_000))
        else:
            self.ledger.drop(f"{MANIFEST}/{name}")
        if path := self._picture_path(image):
            version = image.access_master_key
            if self.options.pictures == "masters":
                version = f"{image.master_key} {image.master_version}"
            picture = facts | {"path": f"data/{path}"}
            units.append(Unit(f"{PICTURE}/{name}", version, picture, found.master_bytes))
        if not is_open(image):
            # The static tree is for everybody. What was there of it goes with the next pass.
            for kind in (TILES, INFORMATION, PAGE):
                self.ledger.drop(f"{kind}/{name}")
        elif base := self.options.static_base:
            tiles = sum(
                -(-width // image.tile_width) * -(-height // image.tile_height)
                for width, height in image.levels
            )
            weight = image.access_master_bytes + tiles * TILE_OVERHEAD_BYTES
            units += [
                Unit(f"{TILES}/{name}", image.access_master_key, facts, weight),
                Unit(f"{INFORMATION}/{name}", f"{base} {size} {rights}", facts, 2_000),
                Unit(f"{PAGE}/{name}", f"{base} {size} {rights}", facts, 4_000),
            ]
        self.ledger.plan(units)

    def _picture_path(self, image: Live) -> str:
        """Return where its master or access master goes, in `data/`; empty for nowhere."""
        match self.options.pictures:
            case "masters":
                extension = file_name(PurePosixPath(image.master_key).suffix[1:].lower())
            case "access-masters":
                extension = "tif"
            case _:
                return ""
        return f"pictures/{file_name(image.identifier)}" + (f".{extension}" if extension else "")

    def _scan_objects(
        self,
        workers: Workers,
        lists: Lists,
        counts: Counter[str],
        on_progress: Callable[[int], None],
    ) -> None:
        journal = objects_journal(self.services.records)

        def read(identifier: str) -> _Object | _Damaged:
            record = self._attempt_read(identifier, lambda: journal.latest(identifier))
            if isinstance(record, _Damaged):
                return record
            found = self._attempt_read(identifier, lambda: self._read_object(identifier, record))
            return _Object(record, is_damaged=True) if isinstance(found, _Damaged) else found

        for found in self._skip_damaged(workers.map(read, journal.identifiers())):
            record = found.record
            if record is None:
                continue
            counts[type(record).__name__] += 1
            on_progress(counts.total())
            lists.add_object(record)
            if found.is_damaged:
                self._keep_units(record.identifier)
            match found.publication:
                case Published(documents=documents):
                    size = 4 * sum(map(len, documents.values()))
                    self._plan_object(record, found, size)
                case Moved() | Withdrawn() | Waiting():
                    self.ledger.drop(f"{MANIFEST}/{record.identifier}")
                    self.ledger.drop(f"{PAGE}/{record.identifier}")

    def _read_object(self, identifier: str, record: ObjectRecord | None) -> _Object:
        """Return what is published of an object. Raises what damage raises."""
        try:
            body, info = self.services.site.get(publication_key(identifier))
        except ObjectMissing:
            return _Object(record)
        return _Object(record, decode_publication(body), info.etag, self._name_open(record))

    def _name_open(self, record: ObjectRecord | None) -> str:
        """Return a text that changes with the images that the static tree shows of an object."""
        if record is None or not self.options.static_base:
            return ""
        names = json.dumps(sorted(open_images(self.services, record)))
        return hashlib.sha256(names.encode()).hexdigest()[:16]

    def _plan_object(self, record: ObjectRecord, found: _Object, size: int) -> None:
        name, facts = record.identifier, {"object": msgspec.to_builtins(record)}
        units = [Unit(f"{MANIFEST}/{name}", found.etag, {}, size)]
        if base := self.options.static_base:
            version = f"{base} {found.etag} {found.open_images} {_PAGE_FORM}"
            units.append(Unit(f"{PAGE}/{name}", version, facts, size))
        self.ledger.plan(units)


def _list_identifiers(services: ExportServices) -> Iterator[str]:
    """Yield every identifier that ever was one of an image."""
    last = ""
    for key in list_folder(services.records, JOURNAL):
        identifier, _ = parse_journal_key(key)
        if identifier != last:
            yield identifier
        last = identifier
