"""Pages of an object's many images and of a collection's members follow a change, in slices."""

from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book, shelf
from tests.unit.site.pages.page_watch import Watch, text
from vitrine.catalogue import outdated_pages
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.outdated_pages import outdated_by_rules, update_outdated
from vitrine.catalogue.publisher import MAX_LEADING
from vitrine.errors import TransientError
from vitrine.events import PagesOutdated
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.slices import WHOLE, Slice
from vitrine.store.layout import publication_key
from vitrine.store.publications import Waiting

PAGES = [f"page-{number:03}" for number in range(MAX_LEADING + 50)]


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench(*IMAGES, *PAGES)


def thick(*images: str) -> Any:
    return book(canvases=tuple(Canvas(image=image) for image in images or PAGES))


def rack(title: str, *members: str) -> ObjectCollection:
    listed = tuple(Member(identifier=one, label={"en": (one,)}) for one in members)
    return ObjectCollection(identifier="rack", label={"en": (title,)}, members=listed)


def announced(bench: ObjectBench) -> list[PagesOutdated]:
    """Take what was announced."""
    sent = bench.events.events
    found = [PagesOutdated(**detail) for name, detail in sent if name == PagesOutdated.name()]
    sent.clear()
    return found


def follow(bench: ObjectBench, batches: int) -> list[int]:
    """Do what is announced, in slices of a number of batches; return how long each was."""
    slices = []
    while waiting := announced(bench):
        for one in waiting:
            time = Slice(partial(next, iter([1] * batches), 0))
            slices.append(update_outdated(bench.publisher, one, time))
    return slices


def leads(bench: ObjectBench) -> list[str]:
    return [one for one in PAGES if f"#image-{one}" in text(bench, f"objects/{one}")]


@pytest.mark.slow
def test_the_pages_of_few_images_are_written_with_their_object(bench: ObjectBench) -> None:
    bench.objects.put(thick(*PAGES[:MAX_LEADING]))
    assert announced(bench) == []
    assert "#image-page-007" in text(bench, "objects/page-007")


@pytest.mark.slow
def test_an_object_of_many_images_is_published_without_their_pages(bench: ObjectBench) -> None:
    with Watch(bench) as written:
        bench.objects.put(thick())
    assert len(written) == 4
    assert follow(bench, 1) == [100, 100, 50]
    assert leads(bench) == PAGES


@pytest.mark.slow
def test_only_images_that_joined_or_left_are_looked_at(bench: ObjectBench) -> None:
    bench.objects.put(thick())
    follow(bench, 9)
    bench.objects.put(thick(*PAGES[1:]))
    assert announced(bench) == [], "one is few"
    assert leads(bench) == PAGES[1:]


@pytest.mark.slow
def test_what_is_announced_is_of_one_change_whatever_comes_later(bench: ObjectBench) -> None:
    bench.objects.put(thick())
    [first] = announced(bench)
    bench.objects.put(book(title="Another title", canvases=thick().canvases))
    assert announced(bench) == []
    assert update_outdated(bench.publisher, first, WHOLE) == len(PAGES)
    assert leads(bench) == PAGES


@pytest.mark.slow
def test_a_fault_loses_nothing(bench: ObjectBench) -> None:
    put = bench.site.put

    def fail(key: str, *args: Any, **how: Any) -> Any:
        if key == publication_key("book") or "page-120" in key:
            raise TransientError(key)
        return put(key, *args, **how)

    bench.site.put = fail
    with pytest.raises(TransientError):
        bench.objects.put(thick())
    [announced_too_early] = announced(bench)
    with pytest.raises(TransientError):
        update_outdated(bench.publisher, announced_too_early, WHOLE)
    bench.site.put = put
    bench.objects.put(thick())
    assert announced(bench) == [announced_too_early], "what was not published is announced again"
    update_outdated(bench.publisher, announced_too_early, WHOLE)
    assert leads(bench) == PAGES


def test_what_a_rule_made_outdated_follows_in_slices(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice goes on where the last one ended."""
    monkeypatch.setattr(outdated_pages, "AT_ONCE", 1)
    bench.objects.put(book())
    bench.objects.put(msgspec.structs.replace(shelf(), access="closed"))
    waiting = [outdated_by_rules("shelf")]
    for _ in IMAGES:
        announced(bench)
        one_batch = Slice(partial(next, iter([1]), 0))
        assert update_outdated(bench.publisher, waiting.pop(), one_batch) == 1
        waiting = announced(bench)
    assert waiting == []
    assert bench.published("book") == Waiting(revision=1)


def test_a_collections_new_title_reaches_the_pages_of_its_members(bench: ObjectBench) -> None:
    for name in ("in", "out", "renamed"):
        bench.objects.put(book(name, part_of=("rack",) if name != "out" else ()))
    bench.objects.put(rack("A rack", "in", "out", "renamed", "nothing"))
    bench.objects.rename("renamed", "new")
    follow(bench, 9)
    assert "A rack" in text(bench, "objects/in")
    bench.objects.put(rack("Ein Regal", "in", "out", "renamed", "nothing"))
    with Watch(bench) as written:
        assert follow(bench, 9) == [4]
    assert sorted(written) == ["objects/in", "objects/new"]
    assert "Ein Regal" in text(bench, "objects/in")
    same = rack("Ein Regal", "in", "out", "renamed", "nothing")
    bench.objects.put(msgspec.structs.replace(same, summary={"en": ("What is on it.",)}))
    assert announced(bench) == [], "its title is the same"


def test_a_withdrawn_collection_has_no_title_on_the_pages_of_its_members(
    bench: ObjectBench,
) -> None:
    bench.objects.put(rack("A rack", "in"))
    bench.objects.put(book("in", part_of=("rack",)))
    bench.objects.withdraw("rack", "A claim.")
    follow(bench, 9)
    assert "A rack" not in text(bench, "objects/in")


def test_a_publisher_that_knows_the_previous_title_does_not_bring_it_back(
    bench: ObjectBench,
) -> None:
    bench.objects.put(rack("A rack", "in"))
    other = Objects(replace(bench.publisher))
    for objects in (bench.objects, other):
        objects.put(book("in", title=f"By {id(objects)}", part_of=("rack",)))
    bench.objects.put(rack("Ein Regal", "in"))
    follow(bench, 9)
    other.put(book("in", title="Changed", part_of=("rack",)))
    assert "Ein Regal" in text(bench, "objects/in")
    assert "A rack" not in text(bench, "objects/in")
