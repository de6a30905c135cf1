"""Access masters without checksums, laid out again with them: no pixel is touched, no master read.

A sealed copy gets a key of its own and the record is switched to it, so both can be served while
gateways learn of it, and the one before expires like any other. Version, date and addresses stay,
since every tile keeps its bytes. What is sealed is recognised by its first bytes: a run that was
stopped is continued by the next one.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from vitrine.errors import ObjectMissing
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.register import Edit, Register
from vitrine.ingest.publish.superseded import try_to_tag_superseded
from vitrine.ingest.repair.relayout import relayout
from vitrine.ingest.services import IngestServices
from vitrine.ports import Listed, ObjectInfo
from vitrine.records import Live, Record
from vitrine.store.layout import access_master_key, identifier_of
from vitrine.store.tiff.checksums import has_seal
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.whole_checksum import has_checksum

COUNTED = ("sealed", "unsealed", "made", "unreadable", "changed")
"""What is counted: access masters with a seal and without, and what became of the latter."""
_BEGINNING_BYTES = 64
_SUFFIX = "-sealed"
"""Behind the version in the key of a sealed copy; the version itself stays."""
_DOWNLOADS = 3
"""How often an access master is read before it is given up as damaged."""

Progress = Callable[[int], None]


class _NoEvents:
    """A bus that sends nothing: every answer stays what it was, so no cache has to forget one.

    CloudFront would charge for each image that it is made to drop, and be filled again.
    """

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        """Send nothing."""

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        """Send nothing."""


class _Result(NamedTuple):
    """What became of one access master."""

    key: str
    size: int
    counted: str
    reason: str = ""


@dataclass
class Sealing:
    """The access masters of all live images: `find` what has no seal, then `seal` that.

    `workers` may work on several at once, each with a folder in `scratch` that holds its access
    master twice. What was found is kept in a file there, so that memory does not grow with it.
    """

    services: IngestServices
    scratch: Path
    workers: Workers

    def __post_init__(self) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
        self.unsealed_bytes = 0
        self.listings = 0
        """Pages of the bucket's list."""
        self.reasons: dict[str, str] = {}
        """Why an access master could not be sealed, by its key."""
        self._found = self.scratch / "unsealed.jsonl"
        self._register = Register(
            self.services.identifiers, Journal(self.services.records), _NoEvents()
        )

    def find(self, progress: Progress) -> None:
        """Count both editions; `progress` is given how many were looked at. Raises TransientError.

        Nothing is written.
        """
        with self._found.open("w", encoding="utf-8") as found:
            for number, result in enumerate(self.workers.map(self._look, self._live()), 1):
                self._count(result)
                if result.counted == "unsealed":
                    self.unsealed_bytes += result.size
                    found.write(json.dumps([identifier_of(result.key), result.key]) + "\n")
                progress(number)

    def seal(self, progress: Progress) -> None:
        """Seal what was found; `progress` is given the bytes of those done. Raises TransientError.

        Begun again from `find` on, it does what is left.
        """
        done = 0
        with self._found.open(encoding="utf-8") as found:
            for result in self.workers.map(self._seal, map(json.loads, found)):
                self._count(result)
                done += result.size
                progress(done)

    def _count(self, result: _Result) -> None:
        self.counts[result.counted] += 1
        if result.reason:
            self.reasons[result.key] = result.reason

    def _live(self) -> Iterator[Live]:
        """Yield the images that access masters in the bucket are served for."""
        after = ""
        while True:
            page = self.services.access_masters.list_keys(after)
            self.listings += 1
            yield from self._find_live(page.entries)
            if not page.next:
                return
            after = page.next

    def _find_live(self, entries: Sequence[Listed]) -> list[Live]:
        owners: dict[str, str] = {}
        for entry in entries:
            with suppress(ValueError):
                if not entry.deleted:
                    owners[entry.key] = identifier_of(entry.key)
        records = self.services.identifiers.get_many(set(owners.values()))
        found = (records.get(identifier) for identifier in owners.values())
        live = {one.access_master_key: one for one in found if isinstance(one, Live)}
        return [live[key] for key in owners if key in live]

    def _look(self, image: Live) -> _Result:
        key, size = image.access_master_key, image.access_master_bytes
        try:
            beginning = self.services.access_masters.read(key, 0, _BEGINNING_BYTES).data
        except ObjectMissing as error:
            return _Result(key, size, "unreadable", str(error))
        return _Result(key, size, "sealed" if has_seal(beginning) else "unsealed")

    def _seal(self, found: tuple[str, str]) -> _Result:
        """Seal one access master, named by its identifier and its key."""
        identifier, key = found
        image = self.services.identifiers.get(identifier)
        if not isinstance(image, Live) or image.access_master_key != key:
            return _Result(key, 0, "changed")
        try:
            return _Result(key, image.access_master_bytes, self._seal_one(image))
        except (MalformedTiff, ObjectMissing) as error:
            return _Result(key, image.access_master_bytes, "unreadable", str(error))

    def _seal_one(self, image: Live) -> str:
        """Write a sealed copy, and have the record name it; return what became of it."""
        store = self.services.access_masters
        with TemporaryDirectory(dir=self.scratch) as folder:
            before, after = Path(folder) / "before.tif", Path(folder) / "after.tif"
            info = self._download(image, before, after)
            relayout(before, after)
            key = access_master_key(image.identifier, image.version + _SUFFIX)
            written = store.upload(
                after, key, content_type="image/tiff", metadata=dict(info.metadata)
            )
        change = self._register.change(image.identifier, _switch(image, written))
        if not (isinstance(change.after, Live) and change.after.access_master_key == key):
            return "changed"
        try_to_tag_superseded(self.services, image.identifier, image.access_master_key)
        return "made"

    def _download(self, image: Live, path: Path, again: Path) -> ObjectInfo:
        """Download an access master, and make sure that its bytes are those of the object.

        What a store changed on the way would be sealed as if it were right. So it is compared with
        the object's own checksum, or read twice where the store has none of the whole. Raises
        MalformedTiff.
        """
        store, fault = self.services.access_masters, ""
        for _ in range(_DOWNLOADS):
            info = store.download(image.access_master_key, path)
            if info.size != image.access_master_bytes:
                raise MalformedTiff(
                    f"It has {info.size:,} bytes, and {image.access_master_bytes:,} were published."
                )
            if info.checksum:
                if has_checksum(path, info.checksum):
                    return info
                fault = f"Its bytes are not those of its checksum in the store, {info.checksum}."
            else:
                store.download(image.access_master_key, again, info.version)
                if _digest(path) == _digest(again):
                    return info
                fault = "It was read differently twice."
        raise MalformedTiff(f"{fault} It was tried {_DOWNLOADS} times.")


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
