"""How many giants are converted at a time: places that are taken and left.

Step Functions limits no state, and Fargate's quota is shared with the tasks that serve images. So
each place is a small object, and whoever writes it on a condition has it. A master that is
started anew finds its own place again; one that never came back loses it when its time is over.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from vitrine.errors import ConvertersBusy, ObjectMissing, PreconditionFailed
from vitrine.ingest.messages import IngestMaster
from vitrine.ports import ObjectStore
from vitrine.store.clock import now, rfc3339
from vitrine.store.layout import place_key

CONTENT_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class _Note:
    """Who has a place, and since when (RFC 3339 UTC). Nobody: an empty key."""

    master_key: str = ""
    master_version: str = ""
    since: str = ""

    def is_of(self, request: IngestMaster) -> bool:
        """Whether the place is that master's, from whichever execution."""
        mine = (request.master_key, request.master_version)
        return (self.master_key, self.master_version) == mine


@dataclass(frozen=True)
class Places:
    """`number` places in `store`; who has one for longer than `seconds` has lost it."""

    store: ObjectStore
    number: int
    seconds: int

    def take(self, request: IngestMaster) -> None:
        """Have a place, or go on having it. Raises ConvertersBusy."""
        read = [self._read(number) for number in range(self.number)]
        oldest = rfc3339(datetime.now(UTC) - timedelta(seconds=self.seconds))
        mine = [place for place in read if place[0].is_of(request)]
        free = [place for place in read if place[0].since < oldest]
        taken = _Note(request.master_key, request.master_version, now())
        for _, key, etag in mine + free:
            if self._write(key, taken, etag):
                return
        raise ConvertersBusy(f"{self.number} giants are being converted")

    def leave(self, request: IngestMaster) -> None:
        """Let another have the place, if there is one."""
        for number in range(self.number):
            note, key, etag = self._read(number)
            if note.is_of(request):
                self._write(key, _Note(), etag)

    def _read(self, number: int) -> tuple[_Note, str, str]:
        key = place_key(number)
        try:
            body, info = self.store.get(key)
        except ObjectMissing:
            return _Note(), key, ""
        return _Note(**json.loads(body)), key, info.etag

    def _write(self, key: str, note: _Note, etag: str) -> bool:
        body = json.dumps(asdict(note), ensure_ascii=False).encode()
        try:
            self.store.put(key, body, content_type=CONTENT_TYPE, if_etag=etag)
        except PreconditionFailed:
            return False
        return True
