"""What is published follows the record and the images, however many write at the same time."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book, losing, shelf
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.faults import Breaking
from vitrine.catalogue import objects
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.memberships import Memberships
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.publication_basis import Replaced
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.records import Described, objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.errors import ObjectRefused, TransientError
from vitrine.iiif.presentation.model import Canvas, Range, Statement
from vitrine.records import Redirect
from vitrine.store.layout import publication_key
from vitrine.store.publications import Published, Waiting, Withdrawn
from vitrine.store.site_layout import object_page_key

AT = "2026-11-23T10:00:00Z"


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench(*IMAGES)


def canvases(bench: ObjectBench) -> list[str]:
    """The images that the book shows, by the names of their services."""
    return [
        canvas["thumbnail"][0]["service"][0]["id"].rpartition("/")[2]
        for canvas in bench.document("book")["items"]
    ]


def test_an_object_waits_for_the_first_of_its_images_and_gets_the_others_when_they_come() -> None:
    bench = ObjectBench()
    result = bench.objects.put(book())
    assert bench.published("book") == Waiting(revision=1)
    assert result.publishing.missing == tuple(sorted(IMAGES))
    bench.write(live("two"))
    assert publish_changed_images(bench.publisher, ["two"]) == 1
    assert canvases(bench) == ["two"]
    for name in ("one", "three"):
        bench.write(live(name))
    publish_changed_images(bench.publisher, ["one", "three"])
    assert canvases(bench) == ["one", "two", "three"]


def test_what_is_published_names_its_facets_and_a_change_of_them_is_published(
    bench: ObjectBench,
) -> None:
    lines = [
        Statement(label={"en": (label,)}, value={"en": ("x",)}, facet=label != "Note")
        for label in ("Maker", "Note", "Place")
    ]
    bench.objects.put(book(metadata=tuple(lines)))
    published = bench.published("book")
    assert isinstance(published, Published)
    assert published.facets == (0, 2)
    assert [pair["label"]["en"] for pair in bench.document("book")["metadata"]] == [
        ["Maker"],
        ["Note"],
        ["Place"],
    ]
    plain = tuple(msgspec.structs.replace(line, facet=False) for line in lines)
    assert bench.objects.put(book(metadata=plain)).publishing.made


def test_a_withdrawn_image_leaves_the_manifest_and_its_table_of_contents() -> None:
    bench = ObjectBench(*IMAGES)
    contents = (
        Range(label={"en": ("Front",)}, canvases=(0,), ranges=(Range(label={"en": ("x",)}),)),
        Range(label={"en": ("Rest",)}, canvases=(1, 2)),
    )
    bench.objects.put(book(ranges=contents, thumbnail="one"))
    bench.withdraw_image("one")
    assert publish_changed_images(bench.publisher, ["one"]) == 1
    document = bench.document("book")
    assert canvases(bench) == ["two", "three"]
    assert "/iiif/3/one/" not in str(document)
    (rest,) = document["structures"]
    assert rest["label"] == {"en": ["Rest"]}
    ids = [canvas["id"] for canvas in document["items"]]
    assert [item["id"] for item in rest["items"]] == ids


def test_a_renamed_image_is_shown_under_its_new_name(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.write(live("folio-1"))
    bench.write(Redirect(identifier="one", target="folio-1", changed_at=AT, revision=1))
    publish_changed_images(bench.publisher, ["one"])
    assert canvases(bench) == ["folio-1", "two", "three"]


def test_redirects_in_a_circle_lead_to_no_image(bench: ObjectBench) -> None:
    for name, target in (("a", "b"), ("b", "a")):
        bench.write(Redirect(identifier=name, target=target, changed_at=AT))
    assert live_images(bench.identifiers, ["a", "two", "nobody"]).keys() == {"two"}


def test_an_image_of_another_size_changes_every_object_that_shows_it(bench: ObjectBench) -> None:
    for name in ("book", "copy"):
        bench.objects.put(book(name))
    bench.objects.put(shelf())
    bench.write(live("two", 4000, 3000, revision=1))
    assert publish_changed_images(bench.publisher, ["two"]) == 2
    assert [canvas["width"] for canvas in bench.document("copy")["items"]] == [800, 4000, 800]
    bench.write(live("one", 4000, 3000, revision=1))
    assert publish_changed_images(bench.publisher, ["one"]) == 3, "the collection shows it as well"


def test_images_that_change_together_publish_each_object_once(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    sent = len(bench.events.events)
    for name in IMAGES:
        bench.write(live(name, 4000, 3000, revision=1))
    assert publish_changed_images(bench.publisher, IMAGES) == 2
    assert len(bench.events.events) == sent + 2


def test_an_image_that_no_object_shows_costs_no_write(bench: ObjectBench) -> None:
    bench.objects.put(book())
    sent = len(bench.events.events)
    assert publish_changed_images(bench.publisher, ["nobody's"]) == 0
    assert publish_changed_images(bench.publisher, ["two"]) == 0, "it changed in nothing shown"
    assert len(bench.events.events) == sent


def test_each_publication_is_an_event_with_a_time_of_its_own(bench: ObjectBench) -> None:
    bench.objects.put(book())
    name, detail = bench.events.events[-1]
    assert (name, detail["identifier"], detail["revision"]) == ("ObjectChanged", "book", 1)
    assert detail["published_at"].endswith("Z")


def test_a_change_whose_event_was_lost_is_announced_by_the_next_attempt(bench: ObjectBench) -> None:
    bench.objects.put(book(title="First"))
    with losing(bench.events, "ObjectChanged"):
        bench.objects.put(book(title="Second"))
    bench.objects.put(book(title="Second"))
    sent = [one["revision"] for name, one in bench.events.events if name == "ObjectChanged"]
    assert sent == [1, 2]


class Overtaken:
    """A site in which somebody else publishes just before our first call of a method."""

    def __init__(self, site: Any, method: str, overtake: Any) -> None:
        self._site, self._method, self._overtake = site, method, overtake

    def __getattr__(self, name: str) -> Any:
        if name == self._method:
            overtake, self._overtake = self._overtake, lambda: None
            overtake()
        return getattr(self._site, name)


@pytest.mark.parametrize("method", ["get", "put"])
def test_of_two_publishers_the_slower_one_does_not_bring_back_the_past(
    bench: ObjectBench, method: str
) -> None:
    bench.objects.put(book(title="First"))
    overtaken = Overtaken(bench.site, method, lambda: bench.objects.put(book(title="Third")))
    second = Described(identifier="book", revision=2, changed_at=AT, item=book(title="Second"))
    bench.publisher.journal.append("book", 2, second)
    replace(bench.publisher, site=overtaken).publish("book")
    assert bench.document("book")["label"] == {"en": ["Third"]}


@pytest.mark.parametrize("port", ["site", "records", "catalogue", "identifiers", "events"])
def test_whatever_fails_once_the_next_try_finishes_it(port: str) -> None:
    """Each port fails at each of its first calls in turn; the same command again does it all."""
    for failing in range(1, 6):
        bench = ObjectBench(*IMAGES)
        broken: Any = Breaking(getattr(bench, port), every=failing)
        journal = objects_journal(broken if port == "records" else bench.records)
        table = broken if port == "catalogue" else bench.catalogue
        changed = {port: broken, "catalogue": Catalogue(table, journal)}
        publisher = replace(bench.publisher, **changed)
        try:
            Objects(publisher).put(book())
        except TransientError:
            bench.objects.put(book())
        assert isinstance(bench.published("book"), Published)
        assert canvases(bench) == list(IMAGES)
        assert len(list(bench.publisher.journal.history("book"))) == 1
        assert set(bench.publisher.objects_with("two")) == {"book"}


def test_a_document_that_breaks_the_schema_is_not_written_and_stops_no_other(
    bench: ObjectBench, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "book", "c"):
        bench.objects.put(book(name))
    before = bench.published("book")
    # A record that our rules let by, such as one of an older edition of theirs.
    broken = msgspec.structs.replace(book(), label={"en GB": ("Broken",)})
    record = Described(identifier="book", revision=2, changed_at=AT, item=broken)
    bench.publisher.journal.append("book", 2, record)
    with pytest.raises(ObjectRefused, match="breaks the schema") as caught:
        bench.publisher.publish("book")
    assert [fault.partition(":")[0] for fault in caught.value.faults] == ["label"]
    assert bench.published("book") == before
    for name in ("a", "c"):
        bench.site.delete(publication_key(name))
    assert rebuild_publications(bench.publisher) == {"objects": 3, "written": 2, "left_out": 1}
    assert "label: " in caplog.text


def test_images_are_read_as_they_were_written_last(bench: ObjectBench) -> None:
    class Lagging:
        """A table whose quick reads know nothing yet, as a copy in another zone."""

        def get_many(self, names: Any, *, consistent: bool = False) -> Any:
            return bench.publisher.identifiers.get_many(names) if consistent else {}

    assert set(live_images(cast("Any", Lagging()), IMAGES)) == set(IMAGES)


def test_an_image_that_is_not_public_leaves_the_manifest_and_comes_back(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.write(replace(live("one"), access="closed", revision=2))
    publish_changed_images(bench.publisher, ["one"])
    assert canvases(bench) == ["two", "three"]
    bench.write(replace(live("one"), access="open", revision=3))
    publish_changed_images(bench.publisher, ["one"])
    assert canvases(bench) == ["one", "two", "three"]


def test_no_object_waits_for_an_image_that_is_closed(bench: ObjectBench) -> None:
    bench.write(replace(live("one"), access="closed", revision=2))
    assert bench.objects.put(book()).publishing.missing == ()
    published = bench.publisher.published("book")
    assert published
    assert published.missing == ()


def test_what_needs_a_ticket_has_no_thumbnail(bench: ObjectBench) -> None:
    """Lists show thumbnails to everybody: theirs would be broken pictures."""
    bench.objects.put(book())
    bench.write(replace(live("one"), access="staff", revision=2))
    publish_changed_images(bench.publisher, ["one"])
    for version, first in (
        (2, lambda one: one["sequences"][0]["canvases"]),
        (3, lambda one: one["items"]),
    ):
        manifest = bench.document("book", version)
        assert "/two/" in json.dumps(manifest["thumbnail"])
        assert ["thumbnail" in canvas for canvas in first(manifest)] == [False, True, True]


def test_an_object_is_gone_with_the_last_of_its_images_and_comes_back_with_the_first() -> None:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(book())
    bench.objects.put(book("waiting", canvases=(Canvas(image="one"), Canvas(image="never"))))
    for image in IMAGES[1:]:
        bench.withdraw_image(image)
    publish_changed_images(bench.publisher, IMAGES)
    manifest = bench.document("book")
    assert len(manifest["items"]) == 1
    assert not [image for image in IMAGES[1:] if f"/{image}/" in json.dumps(manifest)]
    bench.withdraw_image("one")
    publish_changed_images(bench.publisher, ["one"])
    since = "2026-11-23T10:00:00Z"
    assert bench.published("book") == Withdrawn(revision=1, reason="rights", since=since)
    page = bench.site.get(object_page_key("book"))
    assert page[1].metadata["status"] == "410"
    assert b"rights" in page[0]
    # One of its images may still come.
    assert bench.published("waiting") == Waiting(revision=1)
    bench.write(live("two", 800, 600, revision=9))
    publish_changed_images(bench.publisher, ["two"])
    assert len(bench.document("book")["items"]) == 1


def during(moment: str, do: Callable[[], object]) -> Any:
    """Do something once, in the middle of a change: when its record is written, or later."""
    waiting = [do]

    def before(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **how: Any) -> Any:
            if waiting:
                waiting.pop()()
            return call(*args, **how)

        return called

    match moment:
        case "what it replaces is read":
            return patch.object(objects.Replaced, "read", before(Replaced.read))
        case "its images are noted":
            return patch.object(Memberships, "finish", before(Memberships.finish))
    return patch.object(Publisher, "publish", before(Publisher.publish))


MOMENTS = ("what it replaces is read", "its images are noted", "it is published")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_record_that_was_replaced_before_it_was_published_is_not(
    bench: ObjectBench, moment: str
) -> None:
    with during(moment, lambda: bench.objects.put(book(title="Newer"))):
        bench.objects.put(book())
    assert bench.document("book")["label"] == {"en": ["Newer"]}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_image_that_is_closed_before_its_object_is_published_is_left_out(
    bench: ObjectBench, moment: str
) -> None:
    bench.publisher.memberships.join({name: ["shelf"] for name in IMAGES})

    def close() -> None:
        bench.write(replace(live("two"), access="closed", revision=9))
        publish_changed_images(bench.publisher, ["two"])

    with during(moment, close):
        bench.objects.put(book(part_of=("shelf",)))
    assert canvases(bench) == ["one", "three"]
