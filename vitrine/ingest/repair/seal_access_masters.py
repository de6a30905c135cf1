"""Access masters without checksums, laid out again with them: no pixel is touched, no master read.

A sealed copy gets a key of its own and the record is switched to it, so both can be served while
gateways learn of it, and the one before expires like any other. Version, date and addresses stay,
since every tile keeps its bytes. What is sealed is recognised by its first bytes: a run that was
stopped is continued by the next one.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory

from vitrine.errors import ObjectMissing
from vitrine.identify.register import Edit
from vitrine.ingest.publish.superseded import try_to_tag_superseded
from vitrine.ingest.repair.relayout import relayout
from vitrine.ingest.services import IngestServices
from vitrine.ports import Listed, ObjectInfo
from vitrine.records import Live, Record
from vitrine.store.layout import access_master_key, identifier_of
from vitrine.store.tiff.checksums import has_seal
from vitrine.store.tiff.entry import MalformedTiff

COUNTED = ("sealed", "unsealed", "made", "unreadable", "changed")
"""What is counted: access masters with a seal and without, and what became of the latter."""
_BEGINNING_BYTES = 64
_SUFFIX = "-sealed"
"""Behind the version in the key of a sealed copy; the version itself stays."""


@dataclass
class Sealing:
    """One walk over all live access masters. With `dry_run`, nothing is written."""

    services: IngestServices
    scratch: Path
    dry_run: bool = False

    def __post_init__(self) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
        self.unsealed_bytes = 0
        self.reasons: dict[str, str] = {}
        """Why an access master could not be sealed, by its key."""

    def walk(self) -> None:
        """Seal what has no seal. Raises TransientError; begun again, it does what is left."""
        after = ""
        while True:
            page = self.services.access_masters.list_keys(after)
            for image in self._find_live(page.entries):
                self._seal(image)
            if not page.next:
                return
            after = page.next

    def _find_live(self, entries: Sequence[Listed]) -> list[Live]:
        """Return the images that these access masters are served for."""
        owners: dict[str, str] = {}
        for entry in entries:
            with suppress(ValueError):
                if not entry.deleted:
                    owners[entry.key] = identifier_of(entry.key)
        records = self.services.identifiers.get_many(set(owners.values()))
        found = (records.get(identifier) for identifier in owners.values())
        live = {one.access_master_key: one for one in found if isinstance(one, Live)}
        return [live[key] for key in owners if key in live]

    def _seal(self, image: Live) -> None:
        store, key = self.services.access_masters, image.access_master_key
        try:
            beginning = store.read(key, 0, _BEGINNING_BYTES).data
            if has_seal(beginning):
                self.counts["sealed"] += 1
                return
            self.counts["unsealed"] += 1
            self.unsealed_bytes += image.access_master_bytes
            if not self.dry_run:
                self.counts[self._seal_one(image)] += 1
        except (MalformedTiff, ObjectMissing) as error:
            self.counts["unreadable"] += 1
            self.reasons[key] = str(error)

    def _seal_one(self, image: Live) -> str:
        """Write a sealed copy, and have the record name it; return what became of it."""
        store = self.services.access_masters
        with TemporaryDirectory(dir=self.scratch) as folder:
            before, after = Path(folder) / "before.tif", Path(folder) / "after.tif"
            info = store.download(image.access_master_key, before)
            if info.size != image.access_master_bytes:
                raise MalformedTiff(
                    f"It has {info.size:,} bytes, and {image.access_master_bytes:,} were published."
                )
            # What a store changed on the way would be sealed as if it were right.
            store.download(image.access_master_key, after, info.version)
            if _digest(before) != _digest(after):
                raise MalformedTiff("It was read differently twice.")
            relayout(before, after)
            key = access_master_key(image.identifier, image.version + _SUFFIX)
            written = store.upload(
                after, key, content_type="image/tiff", metadata=dict(info.metadata)
            )
        change = self.services.register.change(image.identifier, _switch(image, written))
        if not (isinstance(change.after, Live) and change.after.access_master_key == key):
            return "changed"
        try_to_tag_superseded(self.services, image.identifier, image.access_master_key)
        return "made"


def _switch(image: Live, sealed: ObjectInfo) -> Edit:
    """Return the edit that names the sealed copy where the access master before is still named."""

    def edit(current: Record | None) -> Record | None:
        if not isinstance(current, Live) or current.access_master_key != image.access_master_key:
            return None
        return replace(current, access_master_key=sealed.key, access_master_bytes=sealed.size)

    return edit


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return file_digest(file, "sha256").digest()
