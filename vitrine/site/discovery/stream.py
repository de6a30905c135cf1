"""Our own stream of changes: pages of activities, static files in the bucket of the site.

Activities join at the end, at a time that is never before that of those already there, so that a
harvester who has read up to some time misses none. A page that has a successor is never changed.
One conditional write commits each call: that of the last page, which then holds the new activities
or leads to the pages that do. Pages that nothing leads to are leftovers of a crash and do no harm.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.discovery.activities import (
    Change,
    Json,
    describe_change,
    describe_refresh,
)
from vitrine.site.discovery.properties import CONTEXT
from vitrine.store.clock import now
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.layout import CHANGES, CHANGES_PAGES

ACTIVITIES = 200
"""Activities of a page: some 70 KB, written again for each change until the page is full."""
CONTENT_TYPE = "application/json"
"""As the specification allows (4): CloudFront does not compress application/ld+json."""
_CHANGING, _FULL = "max-age=60", "max-age=3600"
_FIRST = "first"


@dataclass(frozen=True)
class _StreamPage:
    name: str
    etag: str
    """Empty for a page that is not stored."""
    document: Json

    @property
    def items(self) -> list[Json]:
        items: list[Json] = self.document["orderedItems"]
        return items

    @property
    def following(self) -> str:
        """The name of the page after it, or empty."""
        return _name_of(self.document["next"]["id"]) if "next" in self.document else ""

    @property
    def preceding(self) -> str:
        """The name of the page before it, or empty."""
        return _name_of(self.document["prev"]["id"]) if "prev" in self.document else ""

    @property
    def end_index(self) -> int:
        return int(self.document["startIndex"]) + len(self.items)


@dataclass(frozen=True)
class Stream:
    """The stream in `site`, whose addresses begin with `base`, scheme and host."""

    site: ObjectStore
    base: str

    @property
    def address(self) -> str:
        """The address of the stream's collection, where harvesters begin."""
        return f"{self.base}/{CHANGES}"

    def append(self, changes: Sequence[Change]) -> int:
        """Add changes at the end; return how many of them its last pages did not have.

        Events that come again are not added twice. Raises TransientError if others kept adding.
        """
        activities = [describe_change(change, self.base) for change in changes]
        return self._add(activities, once=True)

    def refresh(self, changes: Sequence[Change]) -> int:
        """Add a Refresh, and after it everything that is published; return the activities.

        Harvesters then drop what it does not name. Raises TransientError if others kept adding.
        """
        activities = [describe_change(change, self.base) for change in changes]
        return self._add([describe_refresh(now()), *activities], once=False)

    def _add(self, activities: Sequence[Json], *, once: bool) -> int:
        def write() -> int:
            last = self._last_page()
            known = self._latest(last, len(activities)) if once else set()
            new = [one for one in activities if _fingerprint(one) not in known]
            if new:
                moment = max(now(), last.items[-1]["endTime"] if last.items else "")
                self._write(last, [one | {"endTime": moment} for one in new])
            return len(new)

        if added := retry_if_changed(write, "The stream of changes"):
            self._lead_to_last_page()
        return added

    def _write(self, last: _StreamPage, activities: list[Json]) -> None:
        """Add to the last page and, beyond it, new ones.

        Raises PreconditionFailed if somebody else has added meanwhile: then nothing was.
        """
        room = ACTIVITIES - len(last.items)
        here, beyond = activities[:room], activities[room:]
        pages = [last.document | {"orderedItems": [*last.items, *here]}]
        names = [last.name]
        for start in range(0, len(beyond), ACTIVITIES):
            begin = pages[-1]["startIndex"] + len(pages[-1]["orderedItems"])
            names.append(f"{begin:09}-{uuid4().hex[:8]}")
            page = self._new_page(names[-1], begin, beyond[start : start + ACTIVITIES])
            pages[-1]["next"] = self._link(names[-1])
            pages.append(page | {"prev": self._link(names[-2])})
        for name, page in zip(names[1:], pages[1:], strict=True):
            self._put(name, page, if_etag="")
        self._put(last.name, pages[0], if_etag=last.etag)

    def _last_page(self) -> _StreamPage:
        """Return the page that nothing follows; a new one for a stream that has not begun."""
        collection, _ = self._collection()
        page = self._read(_name_of(collection["last"]["id"])) if collection else None
        page = page or self._read(_FIRST)
        while page and page.following:
            page = self._read(page.following)
        return page or _StreamPage(_FIRST, "", self._new_page(_FIRST, 0, []))

    def _latest(self, last: _StreamPage, number: int) -> set[str]:
        """Return the fingerprints of at least `number` activities before the last page, and of it.

        A writer that died may have added this number before others came.
        """
        known: set[str] = set()
        page: _StreamPage | None = last
        while page:
            known |= set(map(_fingerprint, page.items))
            enough = len(known) >= number + len(last.items)
            page = None if enough or not page.preceding else self._read(page.preceding)
        return known

    def _collection(self) -> tuple[Json, str]:
        """Return the collection and its ETag; both empty before the stream began."""
        try:
            body, info = self.site.get(CHANGES)
        except ObjectMissing:
            return {}, ""
        return json.loads(body), info.etag

    def _read(self, name: str) -> _StreamPage | None:
        try:
            body, info = self.site.get(_key(name))
        except ObjectMissing:
            return None
        return _StreamPage(name, info.etag, json.loads(body))

    def _lead_to_last_page(self) -> None:
        """Have the collection name the last page; after a crash the next to add does it."""

        def write() -> None:
            before, etag = self._collection()
            last = self._last_page()
            collection = {
                "@context": CONTEXT,
                "id": self.address,
                "type": "OrderedCollection",
                "totalItems": last.end_index,
                "first": self._link(_FIRST),
                "last": self._link(last.name),
            }
            if collection != before:
                self._store(CHANGES, collection, if_etag=etag)

        retry_if_changed(write, "The stream of changes")

    def _new_page(self, name: str, start: int, activities: Sequence[Json]) -> Json:
        return {
            "@context": CONTEXT,
            "id": f"{self.base}/{_key(name)}",
            "type": "OrderedCollectionPage",
            "partOf": {"id": self.address, "type": "OrderedCollection"},
            "startIndex": start,
            "orderedItems": list(activities),
        }

    def _link(self, name: str) -> Json:
        return {"id": f"{self.base}/{_key(name)}", "type": "OrderedCollectionPage"}

    def _put(self, name: str, page: Json, *, if_etag: str) -> None:
        self._store(_key(name), page, if_etag=if_etag)

    def _store(self, key: str, document: Json, *, if_etag: str | None) -> None:
        self.site.put(
            key,
            json.dumps(document, ensure_ascii=False).encode(),
            content_type=CONTENT_TYPE,
            cache_control=_FULL if "next" in document else _CHANGING,
            if_etag=if_etag,
        )


def _key(name: str) -> str:
    return f"{CHANGES_PAGES}{name}.json"


def _name_of(address: str) -> str:
    return address.rpartition("/")[2].removesuffix(".json")


def _fingerprint(activity: Json) -> str:
    """Return what is the same when an event comes again: all but the time at which it joined."""
    change = {name: value for name, value in activity.items() if name != "endTime"}
    return json.dumps(change, sort_keys=True)
