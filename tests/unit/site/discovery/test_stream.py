"""Our stream of changes has each change once and in order, with crashes and other writers."""

import json
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.site.discovery import stream as streams
from vitrine.site.discovery.activities import CREATED, DELETED, MOVED, UPDATED, Change
from vitrine.site.discovery.stream import ACTIVITIES, Stream
from vitrine.sources.harvest.check_stream import StreamReport, check_stream
from vitrine.store.layout import CHANGES, CHANGES_PAGES

BASE = "https://images.example.org"
AT = "2026-11-23T10:00:00.000Z"


def created(*names: str) -> list[Change]:
    return [
        Change(change=CREATED, kind="manifest", identifier=name, changed_at=AT) for name in names
    ]


def numbered(number: int, start: int = 0) -> list[Change]:
    return created(*(f"object-{start + one}" for one in range(number)))


def harvest(site: Any) -> StreamReport:
    """Read it as a harvester does."""
    return check_stream(f"{BASE}/{CHANGES}", lambda url: site.get(url.removeprefix(f"{BASE}/"))[0])


def names_in(site: Any) -> list[str]:
    """The names in the stream, from its first page on."""
    found, address = [], json.loads(site.get(CHANGES)[0])["first"]["id"]
    while address:
        page = json.loads(site.get(address.removeprefix(f"{BASE}/"))[0])
        found += [one.get("object", {"id": "Refresh"})["id"] for one in page["orderedItems"]]
        address = page.get("next", {}).get("id")
    return [name.removesuffix("/manifest.json").rpartition("/")[2] for name in found]


def test_a_harvester_finds_nothing_wrong_with_it() -> None:
    site = MemoryObjectStore()
    stream = Stream(site, BASE)
    moved = Change(change=MOVED, kind="manifest", identifier="a", target="b", changed_at=AT)
    changes = [
        *created("a"),
        Change(change=UPDATED, kind="collection", identifier="shelf", changed_at=AT),
        moved,
        Change(change=DELETED, kind="manifest", identifier="gang №1/2", changed_at=AT),
    ]
    assert stream.append(changes) == 4
    report = harvest(site)
    assert report.findings == []
    assert report.types == {"Create": 1, "Update": 1, "Move": 1, "Delete": 1}
    assert report.level == 2
    page = json.loads(site.get(f"{CHANGES_PAGES}first.json")[0])
    assert page["orderedItems"][2]["target"] == {
        "id": f"{BASE}/presentation/3/b/manifest.json",
        "type": "Manifest",
    }
    assert page["orderedItems"][1]["object"]["type"] == "Collection"
    assert page["orderedItems"][3]["object"]["id"].endswith("/gang%20%E2%84%961%2F2/manifest.json")


@pytest.mark.parametrize("batches", [(450,), (199, 1, 1), (200, 200), (150, 150, 150), (1,) * 5])
def test_pages_fill_one_after_the_other(batches: tuple[int, ...]) -> None:
    site, start = MemoryObjectStore(), 0
    for batch in batches:
        Stream(site, BASE).append(numbered(batch, start))
        start += batch
    report = harvest(site)
    assert report.findings == []
    assert report.activities == start
    assert report.pages == -(-start // ACTIVITIES)
    assert names_in(site) == [f"object-{one}" for one in range(start)]


def test_an_event_that_comes_again_is_not_added_twice() -> None:
    site = MemoryObjectStore()
    stream = Stream(site, BASE)
    assert stream.append(created("a", "b")) == 2
    assert stream.append(created("b", "a", "c")) == 1
    assert names_in(site) == ["a", "b", "c"]


def test_a_clock_that_goes_back_puts_nothing_before_what_was_harvested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = MemoryObjectStore()
    for time, name in (("2026-11-23T12:00:00.000Z", "a"), ("2026-11-23T11:00:00.000Z", "b")):
        monkeypatch.setattr(streams, "now", lambda time=time: time)
        Stream(site, BASE).append(created(name))
    page = json.loads(site.get(f"{CHANGES_PAGES}first.json")[0])
    assert {one["endTime"] for one in page["orderedItems"]} == {"2026-11-23T12:00:00.000Z"}


class DiesAtPut:
    """A site whose writer is killed at its n-th write: just before it, or just after."""

    def __init__(self, site: MemoryObjectStore, number: int, *, written: bool) -> None:
        self._site, self._number, self._written = site, number, written
        self._puts = count(1)

    def put(self, *arguments: Any, **named: Any) -> Any:
        dies = next(self._puts) == self._number
        if dies and not self._written:
            raise KeyboardInterrupt
        result = self._site.put(*arguments, **named)
        if dies:
            raise KeyboardInterrupt
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._site, name)


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_writer_that_dies_and_begins_again_loses_and_repeats_nothing(
    number: int, written: bool
) -> None:
    site = MemoryObjectStore()
    Stream(site, BASE).append(numbered(150))
    dying: Any = DiesAtPut(site, number, written=written)
    try:
        Stream(dying, BASE).append(numbered(450, 150))
    except KeyboardInterrupt:
        # What is read meanwhile is right but for a number: the collection is written last.
        errors = [one.sentence for one in harvest(site).errors]
        assert not [sentence for sentence in errors if "totalItems" not in sentence]
        Stream(site, BASE).append(numbered(450, 150))
    Stream(site, BASE).append(created("after"))
    assert harvest(site).findings == []
    names = names_in(site)
    assert names[-1] == "after"
    assert set(names) == {"after", *(f"object-{one}" for one in range(600))}


class Overtaken:
    """A site in which others write before each of the first `times` writes of ours."""

    def __init__(self, site: MemoryObjectStore, times: int, others: int) -> None:
        self._site, self._left, self._others = site, times, others
        self._names = count(10_000, others)

    def put(self, key: str, *arguments: Any, **named: Any) -> Any:
        if self._left and key != CHANGES:
            self._left -= 1
            Stream(self._site, BASE).append(numbered(self._others, next(self._names)))
        return self._site.put(key, *arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._site, name)


@pytest.mark.parametrize("others", [1, 60, 450])
def test_writers_that_overtake_each_other_lose_nothing(others: int) -> None:
    site = MemoryObjectStore()
    overtaken: Any = Overtaken(site, times=3, others=others)
    Stream(overtaken, BASE).append(numbered(300))
    report = harvest(site)
    assert report.findings == []
    names = names_in(site)
    assert len(names) == len(set(names)) == report.activities
    assert names[-300:] == [f"object-{one}" for one in range(300)]


def test_who_is_overtaken_again_and_again_tries_later() -> None:
    overtaken: Any = Overtaken(MemoryObjectStore(), times=99, others=1)
    with pytest.raises(TransientError):
        Stream(overtaken, BASE).append(created("a"))


def test_after_a_refresh_everything_is_named_again_or_nothing_is() -> None:
    site = MemoryObjectStore()
    Stream(site, BASE).append(numbered(300))
    dying: Any = DiesAtPut(site, 2, written=True)
    published = [replace(change, change=UPDATED) for change in numbered(700)]
    with pytest.raises(KeyboardInterrupt):
        Stream(dying, BASE).refresh(published)
    assert "Refresh" not in harvest(site).types, "half of it would have the rest dropped"
    assert Stream(site, BASE).refresh(published) == 701
    report = harvest(site)
    assert report.findings == []
    assert report.types == {"Create": 300, "Refresh": 1, "Update": 700}


def test_what_does_not_change_any_more_may_be_kept_longer() -> None:
    site = MemoryObjectStore()
    Stream(site, BASE).append(numbered(300))
    before, _ = site.get(f"{CHANGES_PAGES}first.json")
    Stream(site, BASE).append(numbered(300, 300))
    assert site.get(f"{CHANGES_PAGES}first.json")[0] == before
