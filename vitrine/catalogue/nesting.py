"""Collections in collections, as their newest records have them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from vitrine.catalogue.records import Described, ObjectRecord, follow_renames
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.store.revisions import Revisions

THREADS = 8


def find_cycle(
    item: ObjectCollection, current: ObjectRecord | None, journal: Revisions[ObjectRecord]
) -> list[str]:
    """Return the identifiers from a collection through others to itself; none if it is in no other.

    `current` is its record as it is. Only what the item adds to that can close a cycle, so only
    below that is looked. A collection in itself directly is not looked for.
    """
    added = _inner(item) - (_inner(current.item) if isinstance(current, Described) else set())
    leads_from = dict.fromkeys(sorted(added - {item.identifier}), item.identifier)
    waiting = list(leads_from)
    while waiting:
        found: list[str] = []
        for listed, name, collection in _read(waiting, journal):
            below = _inner(collection) if collection else set[str]()
            if name == item.identifier or name in below or item.identifier in below:
                return _path(leads_from, listed, item.identifier)
            for inner in sorted(below - leads_from.keys()):
                leads_from[inner] = listed
                found.append(inner)
        waiting = found
    return []


def members_below(identifier: str, journal: Revisions[ObjectRecord]) -> dict[str, Member]:
    """Return all members of a collection and of those in it, each once, in order."""
    found: dict[str, Member] = {}
    entered, waiting = {identifier}, [identifier]
    while waiting:
        inner: list[str] = []
        for _, _, collection in _read(waiting, journal):
            for member in collection.members if collection else ():
                found.setdefault(member.identifier, member)
                if member.is_collection and member.identifier not in entered:
                    entered.add(member.identifier)
                    inner.append(member.identifier)
        waiting = inner
    return found


def _read(
    names: Iterable[str], journal: Revisions[ObjectRecord]
) -> Iterator[tuple[str, str, ObjectCollection | None]]:
    """Yield each identifier, its present one, and its collection if that is one."""

    def read(listed: str) -> tuple[str, str, ObjectCollection | None]:
        name, record = follow_renames(journal, listed)
        item = record.item if isinstance(record, Described) else None
        return listed, name, item if isinstance(item, ObjectCollection) else None

    with ThreadPoolExecutor(THREADS, thread_name_prefix="nesting") as threads:
        yield from threads.map(read, names)


def _inner(item: object) -> set[str]:
    if not isinstance(item, ObjectCollection):
        return set()
    return {member.identifier for member in item.members if member.is_collection}


def _path(leads_from: dict[str, str], last: str, top: str) -> list[str]:
    """Return the way from the top to `last`, and the top again."""
    path = [top, last]
    while path[-1] != top:
        path.append(leads_from[path[-1]])
    return [top, *reversed(path[1:-1]), top]
