"""A folder of a harvest as one object of a bucket: fetched whole, and stored whole again.

One object is one write: of two updates at the same moment the second is refused, and one that dies
leaves the folder that was there. A hundred thousand small objects would cost more to list than to
harvest.
"""

import logging
import shutil
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.sources.harvest.harvest_log import LOG

logger = logging.getLogger(__name__)

PACKED = "table.tar.gz"
_FORMAT = "application/gzip"
_LOG_FORMAT = "application/x-ndjson"


@dataclass
class PackedFolder:
    """`folder` stands under `key` in the store, and its log, to be read alone, under `log_key`."""

    store: ObjectStore
    key: str
    log_key: str
    folder: Path
    _etag: str = ""

    def fetch(self) -> None:
        """Fill the folder; without an object, and from a damaged one, it stays empty."""
        self.folder.mkdir(parents=True)
        beside = self.folder.with_name(f"{self.folder.name}.tar.gz")
        try:
            self._etag = self.store.download(self.key, beside).etag
        except ObjectMissing:
            pass
        else:
            try:
                with tarfile.open(beside) as archive:
                    archive.extractall(self.folder, filter="data")
            except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
                logger.warning("%s is damaged (%s): everything is fetched again", self.key, error)
                self.empty()
            beside.unlink()
        try:
            log, _ = self.store.get(self.log_key)
        except ObjectMissing:
            return
        (self.folder / LOG).write_bytes(log)

    def empty(self) -> None:
        """Remove the files of the folder, but for the log: a harvest begins again."""
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOG:
                path.unlink()

    def store_again(self) -> None:
        """Replace the object by what is in the folder now, and the log.

        Raises PreconditionFailed if another update did so since it was fetched.
        """
        beside = self.folder.with_name(f"{self.folder.name}.tar.gz")
        with tarfile.open(beside, "w:gz", compresslevel=6) as archive:
            for path in sorted(self.folder.iterdir()):
                if path.is_file() and path.name != LOG:
                    archive.add(path, path.name)
        body = beside.read_bytes()
        beside.unlink()
        self._etag = self.store.put(self.key, body, content_type=_FORMAT, if_etag=self._etag).etag
        self.store_log()

    def store_log(self) -> None:
        """Replace the log by that of the folder."""
        log = self.folder / LOG
        if log.exists():
            self.store.put(self.log_key, log.read_bytes(), content_type=_LOG_FORMAT)
