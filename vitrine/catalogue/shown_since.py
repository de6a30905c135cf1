"""What objects and collections showed at a moment or since.

Two things may leave one after the other: a collection is withdrawn, and then its objects. What the
first left behind is found in records that are not the newest any more.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from vitrine.catalogue.records import (
    ObjectRecord,
    Renamed,
    inner_collections,
    member_pictures,
)
from vitrine.catalogue.shown_images import shown_by
from vitrine.store.revisions import Revisions

THREADS = 16
MAX_ENTRIES = 50
"""Changes that a message may be late by: each entry may have 100,000 members."""

Pictures = dict[str, tuple[str, ...]]


def read_all_shown_since(
    journal: Revisions[ObjectRecord], names: Sequence[str], at: str
) -> dict[str, set[str]]:
    """Return the images that each of these objects and collections showed at a moment or since.

    `at` is in RFC 3339 UTC. What has no record is an image by itself.
    """

    def read(name: str) -> set[str]:
        images = [shown_by(entry).images for entry in _entries_since(journal, name, at)]
        return set().union(*images) if images else {name}

    with ThreadPoolExecutor(THREADS, thread_name_prefix="since") as threads:
        return dict(zip(names, threads.map(read, names), strict=True))


def read_below_since(
    journal: Revisions[ObjectRecord], collection: str, at: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what was in a collection at a moment or since, however deep.

    Each member comes with the images by which the collection that listed it showed it.
    """

    def read(name: str) -> list[tuple[Pictures, set[str]]]:
        entries = _entries_since(journal, name, at)
        return [(member_pictures(entry), inner_collections(entry)) for entry in entries]

    entered, level = {collection}, [collection]
    with ThreadPoolExecutor(THREADS, thread_name_prefix="since") as threads:
        while level:
            found = [one for lists in threads.map(read, level) for one in lists]
            for pictures, _ in found:
                yield from pictures.items()
            level = sorted(set().union(*(inner for _, inner in found)) - entered)
            entered.update(level)


def _entries_since(journal: Revisions[ObjectRecord], name: str, at: str) -> Iterator[ObjectRecord]:
    """Yield the entries of a moment and since, newest first, and those of later identifiers."""
    passed, waiting = set[str](), [name]
    while waiting:
        name = waiting.pop()
        passed.add(name)
        for entry in islice(journal.newest_first(name), MAX_ENTRIES):
            yield entry
            if isinstance(entry, Renamed) and entry.target not in passed:
                waiting.append(entry.target)
            if entry.changed_at <= at:
                break
