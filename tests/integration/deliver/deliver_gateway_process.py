"""The real gateway process on a directory instead of the cloud: counts and delays downloads."""

import json
import os
import shutil
import time
from pathlib import Path

from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.deliver.server import serve
from vitrine.deliver.service import GatewayService
from vitrine.errors import ObjectMissing
from vitrine.identify.record import Gone, Live, Record, Redirect
from vitrine.ports import ObjectInfo
from vitrine.settings import DeliverSettings

KINDS = {"live": Live, "redirect": Redirect, "gone": Gone}


class CountingStore(MemoryObjectStore):
    """Serves files of a directory; a line of `downloads.log` for each download."""

    def __init__(self, directory: Path, delay_seconds: float) -> None:
        super().__init__()
        self._directory = directory
        self._delay = delay_seconds

    def download(self, key: str, path: Path, version: str = "") -> ObjectInfo:
        with (self._directory / "downloads.log").open("a") as log:
            log.write(f"{key}\n")
        time.sleep(self._delay)
        source = self._directory / key
        if not source.exists():
            raise ObjectMissing(key)
        shutil.copyfile(source, path)
        return ObjectInfo(key=key, size=path.stat().st_size, etag="", version="1", modified="")


def read_records(path: Path) -> list[Record]:
    records: list[Record] = []
    for item in json.loads(path.read_text()):
        kind = KINDS[item.pop("state")]
        if kind is Live:
            item["levels"] = tuple((width, height) for width, height in item["levels"])
        records.append(kind(**item))
    return records


def main() -> None:
    settings = DeliverSettings.from_environment(os.environ)
    directory = Path(os.environ["TEST_STORE"])
    delay = float(os.environ.get("TEST_DELAY_SECONDS", "0"))
    serve(
        settings,
        lambda: GatewayService(
            settings,
            store=CountingStore(directory, delay),
            table=MemoryIdentifierTable(*read_records(directory / "records.json")),
        ),
    )


if __name__ == "__main__":
    main()
