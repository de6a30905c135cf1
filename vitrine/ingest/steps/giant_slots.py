"""Slots for giants, which limit how many are converted at a time.

Step Functions limits no state, and Fargate's quota is shared with the tasks that serve images. So
each slot is a small object, taken by a conditional write. A master that is started again finds its
own slot; a master that never comes back loses its slot after a time.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from vitrine.errors import ConvertersBusy, ObjectMissing, PreconditionFailed
from vitrine.ingest.messages import IngestMaster
from vitrine.ports import ObjectStore
from vitrine.store.clock import now, rfc3339
from vitrine.store.layout import giant_slot_key

CONTENT_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class _Holder:
    """The master that has a slot, and since when (RFC 3339 UTC). Of a free slot, all is empty."""

    master_key: str = ""
    master_version: str = ""
    since: str = ""

    def is_master_of(self, request: IngestMaster) -> bool:
        """Return True if this is the master of `request`, from whichever execution."""
        master = (request.master_key, request.master_version)
        return (self.master_key, self.master_version) == master


@dataclass(frozen=True)
class GiantSlots:
    """`number` slots in `store`, each of which may be held for `seconds`."""

    store: ObjectStore
    number: int
    seconds: int

    def take(self, request: IngestMaster) -> None:
        """Take a slot, or keep the one taken before. Raises ConvertersBusy."""
        slots = [self._read_slot(number) for number in range(self.number)]
        oldest = rfc3339(datetime.now(UTC) - timedelta(seconds=self.seconds))
        own = [slot for slot in slots if slot[0].is_master_of(request)]
        free = [slot for slot in slots if slot[0].since < oldest]
        holder = _Holder(request.master_key, request.master_version, now())
        for _, key, etag in own + free:
            if self._write_slot(key, holder, etag):
                return
        raise ConvertersBusy(f"All {self.number} slots for giants are taken.")

    def release(self, request: IngestMaster) -> None:
        """Free the master's slot, if it has one."""
        for number in range(self.number):
            holder, key, etag = self._read_slot(number)
            if holder.is_master_of(request):
                self._write_slot(key, _Holder(), etag)

    def _read_slot(self, number: int) -> tuple[_Holder, str, str]:
        key = giant_slot_key(number)
        try:
            body, info = self.store.get(key)
        except ObjectMissing:
            return _Holder(), key, ""
        return _Holder(**json.loads(body)), key, info.etag

    def _write_slot(self, key: str, holder: _Holder, etag: str) -> bool:
        body = json.dumps(asdict(holder), ensure_ascii=False).encode()
        try:
            self.store.put(key, body, content_type=CONTENT_TYPE, if_etag=etag)
        except PreconditionFailed:
            return False
        return True
