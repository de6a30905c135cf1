"""Bringing the dumps up to date: a list of the bucket, the last dump, and what changed since.

The list of the bucket is in the order of the keys, and so are the rows of the last dump: side by
side they tell what changed, and only that is read. For 100,000 objects this takes a hundred lists
and, of what changed, a read each; memory does not grow with them.
"""

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from vitrine.errors import ObjectMissing
from vitrine.identify.redirects.bulk import Workers
from vitrine.ports import ListedObject, VersionedStore
from vitrine.site.dumps.files import OBJECTS_JSONL, DumpFiles, read_dump
from vitrine.site.dumps.rows import Row, make_row
from vitrine.store.changed_publications import list_publications, pair_rows, read_publication
from vitrine.store.clock import rfc3339
from vitrine.store.layout import identifier_of_publication
from vitrine.store.omissions import DUMPS, Omissions

FORM = "2"
"""Version of the format of rows and metadata; a dump of another one is made again."""
MARGIN = timedelta(seconds=5)
"""S3 lists whole seconds, and its clocks may differ: what was young when it was read is read
again."""


@dataclass
class DumpUpdate:
    """What an update found."""

    objects: int = 0
    """Rows of the dump."""
    read: int = 0
    """Publications that had changed, or may have, and were read."""
    left_out: int = 0
    """Objects among what was read that no dump has until they are published again."""
    written: bool = False
    """False if the dumps were up to date."""


class _DumpedObject(NamedTuple):
    """What became of an object since the last dump."""

    before: Row | None
    found: Row | None
    was_read: bool = False
    is_left_out: bool = False


_LEFT_OUT: Row | None = {}
"""In place of the row of an object that is left out."""


@dataclass(frozen=True)
class _LastDump:
    rows: Iterator[Row]
    settled_before: str
    """Time before which all changes are in it; empty without a dump that can be used."""


def update_dumps(
    site: VersionedStore,
    base: str,
    *,
    everything: bool = False,
    on_progress: Callable[[int], None] = lambda objects: None,
) -> DumpUpdate:
    """Write dumps and sitemaps of what is published, if anything has changed.

    `base` is scheme and host of the addresses; with `everything`, nothing of the last dump is used.
    Raises TransientError; the next update does what this one did not.
    """
    begun = time.monotonic()
    result, changed = DumpUpdate(), False
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-dump-")))
        files = stack.enter_context(DumpFiles(folder, base))
        workers = stack.enter_context(Workers())
        omissions = stack.enter_context(Omissions(site, DUMPS))
        last = _LastDump(iter(()), "") if everything else _read_last(site, folder, base)

        def look(pair: tuple[ListedObject | None, Row | None]) -> _DumpedObject:
            entry, row = pair
            if entry is None:
                if row:
                    omissions.note_processed(row["identifier"])
                return _DumpedObject(row, None)
            # Without a row it waits for its images, now as when the last dump was made.
            is_known = row is None or row["updated"] == entry.modified
            if is_known and entry.modified < last.settled_before:
                return _DumpedObject(row, row)
            name = identifier_of_publication(entry.key)
            found = omissions.attempt(name, lambda: _read_row(site, name, entry, base), _LEFT_OUT)
            is_left_out = found is _LEFT_OUT
            return _DumpedObject(row, None if is_left_out else found, True, is_left_out)

        pairs = pair_rows(list_publications(site), last.rows, lambda row: str(row["identifier"]))
        for looked in workers.map(look, pairs):
            result.read += looked.was_read
            result.left_out += looked.is_left_out
            changed |= looked.found != looked.before
            if looked.found is not None:
                files.add(looked.found)
                result.objects += 1
                on_progress(result.objects)
        made = list(files.finish())
        if changed or not last.settled_before:
            _publish(site, made, base, math.ceil(time.monotonic() - begun))
            result.written = True
    return result


def _publish(
    site: VersionedStore, made: list[tuple[str, Path, str]], base: str, seconds: int
) -> None:
    """Put the files where the edge has them; `seconds` is what it took to make them."""
    for key, path, media_type in made:
        about = {"form": FORM, "base": base, "seconds": str(seconds)}
        metadata = about if key == OBJECTS_JSONL else {}
        site.upload(path, key, content_type=media_type, metadata=metadata)


def _read_last(site: VersionedStore, folder: Path, base: str) -> _LastDump:
    path = folder / "last.jsonl.gz"
    try:
        info = site.download(OBJECTS_JSONL, path)
    except ObjectMissing:
        return _LastDump(iter(()), "")
    if (info.metadata.get("form"), info.metadata.get("base")) != (FORM, base):
        return _LastDump(iter(()), "")
    # By S3's clock, which wrote the times of the entries as well: ours may be wrong.
    written = datetime.fromisoformat(info.modified)
    begun = written - timedelta(seconds=int(info.metadata["seconds"]))
    return _LastDump(read_dump(path), rfc3339(begun - MARGIN))


def _read_row(site: VersionedStore, name: str, entry: ListedObject, base: str) -> Row | None:
    found = read_publication(site, entry)
    return make_row(name, found[0], base, entry.modified) if found else None
