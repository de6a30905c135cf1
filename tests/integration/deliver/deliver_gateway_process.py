"""The real gateway process on a directory instead of the cloud: counts and delays downloads.

Where AWS_ENDPOINT_URL is set, its store is the S3 there, as production reaches it; with
TEST_PATIENT_READS, only more patiently.
"""

import json
import os
import shutil
import time
from pathlib import Path

from rigs.object_server.server_process import RunningStore
from tests.integration.deliver.patient_reads import read_patiently
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.gateway import access_master_store
from vitrine.deliver.render.shared_load import ProcessLoad
from vitrine.deliver.server.serve import serve
from vitrine.deliver.service import GatewayService
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.identify.canary import CANARY
from vitrine.ports import ObjectInfo, ObjectPart, ObjectStore
from vitrine.records import Record, record_from_json
from vitrine.settings.deliver import DeliverSettings

SITE = "site"
"""Folder of what is published of objects."""


class CountingStore(MemoryObjectStore):
    """Serves files of a directory; a line of `downloads.log` for each file or range read."""

    def __init__(self, directory: Path, delay_seconds: float) -> None:
        super().__init__()
        self._directory = directory
        self._delay = delay_seconds

    def head(self, key: str) -> ObjectInfo:
        source = self._directory / key
        if not source.exists():
            raise ObjectMissing(key)
        status = source.stat()
        etag = f"{status.st_ino}-{status.st_mtime_ns}"
        return ObjectInfo(key=key, size=status.st_size, etag=etag, version="1", modified="")

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        info = self.head(key)
        return (self._directory / key).read_bytes(), info

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        self._note_and_wait(key)
        info = self.head(key)
        if if_etag not in ("", info.etag):
            raise PreconditionFailed(key)
        with (self._directory / key).open("rb") as file:
            file.seek(start)
            return ObjectPart(file.read(length), info.etag, info.size)

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        self._note_and_wait(key)
        info = self.head(key)
        shutil.copyfile(self._directory / key, path)
        return info

    def _note_and_wait(self, key: str) -> None:
        with (self._directory / "downloads.log").open("a") as log:
            log.write(f"{key}\n")
        time.sleep(self._delay)


class FileTable(MemoryIdentifierTable):
    """What `records.json` holds; read again once another file lies there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = (0, 0)
        super().__init__()

    def get(self, identifier: str) -> Record | None:
        status = self._path.stat()
        # The next file but one may have the same number again.
        seen = status.st_ino, status.st_mtime_ns
        if seen != self._seen:
            records = read_records(self._path)
            # An empty table has lost its canary as well.
            super().__init__(*([CANARY, *records] if records else []))
            self._seen = seen
        return super().get(identifier)


def read_records(path: Path) -> list[Record]:
    return [record_from_json(item) for item in json.loads(path.read_text())]


def main() -> None:
    settings = DeliverSettings.from_environment(os.environ)
    directory = Path(os.environ["TEST_STORE"])
    delay = float(os.environ.get("TEST_DELAY_SECONDS", "0"))

    store: ObjectStore = CountingStore(directory, delay)
    if "AWS_ENDPOINT_URL" in os.environ:
        store = access_master_store(settings)
    if "TEST_PATIENT_READS" in os.environ:
        read_patiently(setattr)
        if "AWS_ENDPOINT_URL" in os.environ:
            store = RunningStore(os.environ["AWS_ENDPOINT_URL"]).store()

    (directory / SITE).mkdir(exist_ok=True)

    def build(load: ProcessLoad) -> GatewayService:
        table = FileTable(directory / "records.json")
        service = GatewayService(
            settings,
            store=store,
            site=CountingStore(directory / SITE, 0),
            table=table,
            records=MemoryObjectStore(),
            load=load,
        )
        if "TEST_LINE_SECONDS" in os.environ:
            service.reporter.line_seconds = float(os.environ["TEST_LINE_SECONDS"])
        return service

    serve(settings, build)


if __name__ == "__main__":
    main()
