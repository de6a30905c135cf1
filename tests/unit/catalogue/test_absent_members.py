"""What shows nobody anything is in no list; an object that needs a right stays there."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import brotli
import pytest

from tests.unit.catalogue.object_bench import (
    IMAGES,
    ObjectBench,
    book,
    publish_announced_lists,
)
from tests.unit.deliver.deliver_records import live
from vitrine.adapters.memory.catalogue_table import MemoryCatalogueTable
from vitrine.catalogue.absent_members import AbsentMembers
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.presentation import paging
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.iiif.presentation.schema import find_schema_faults
from vitrine.records import Live, Redirect, Removed
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.publish_objects import publish_objects
from vitrine.store.layout import PUBLICATIONS, page_key, publication_key
from vitrine.store.publications import Published, decode_page, decode_publication
from vitrine.store.site_layout import collection_page_key

TITLE = "A secret letter"
AT = "2026-11-25T10:00:00Z"


@pytest.fixture
def bench() -> ObjectBench:
    """A shelf with a letter of two images, and a book."""
    bench = ObjectBench(*IMAGES)
    canvases = tuple(Canvas(image=image) for image in ("one", "two"))
    bench.objects.put(book("letter", TITLE, canvases=canvases))
    bench.objects.put(book("book", canvases=(Canvas(image="three"),)))
    put_shelf(bench, "one")
    return bench


def put_shelf(bench: ObjectBench, image: str) -> None:
    members = (
        Member(identifier="letter", label={"en": (TITLE,)}, image=image),
        Member(identifier="book", label={"en": ("A book",)}, image="three"),
    )
    bench.objects.put(
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=members)
    )


def restrict(bench: ObjectBench, image: str, access: str) -> None:
    """Set the rule of an image, and deliver what that causes."""
    current = bench.identifiers.get(image)
    assert isinstance(current, Live)
    bench.write(replace(current, access=access, revision=current.revision + 1))
    publish_changed_images(bench.publisher, [image])
    publish_announced_lists(bench.publisher, bench.events.events)


def everything_said(bench: ObjectBench) -> str:
    """All that is in the bucket of the site, documents of both versions included."""
    said = []
    for entry in bench.site.list_keys(limit=1_000).entries:
        body, _ = bench.site.get(entry.key)
        if not entry.key.startswith(PUBLICATIONS):
            said.append(body.decode())
            continue
        documents = decode_page(body) if entry.key.count("/") > 2 else {}
        if entry.key.count("/") <= 2:
            publication = decode_publication(body)
            documents = publication.documents if isinstance(publication, Published) else {}
        said += [brotli.decompress(document).decode() for document in documents.values()]
    return "".join(said)


def listed(bench: ObjectBench, version: int = 3) -> list[str]:
    document = bench.document("shelf", version)
    members: list[dict[str, Any]] = document["items" if version == 3 else "members"]
    return [one["id" if version == 3 else "@id"].split("/")[-2] for one in members]


def test_an_object_is_left_out_once_its_last_image_is_closed(bench: ObjectBench) -> None:
    restrict(bench, "one", "closed")
    assert listed(bench) == ["letter", "book"], "its second image is open"
    restrict(bench, "two", "closed")
    assert listed(bench) == listed(bench, 2) == ["book"]
    assert TITLE not in everything_said(bench)
    restrict(bench, "two", "open")
    assert listed(bench) == ["letter", "book"]
    assert TITLE in everything_said(bench)


def test_a_list_follows_though_another_run_published_the_object(bench: ObjectBench) -> None:
    """That run died before the lists, or was a table's."""
    restrict(bench, "one", "closed")
    current = bench.identifiers.get("two")
    assert isinstance(current, Live)
    bench.write(replace(current, access="closed", revision=current.revision + 1))
    bench.publisher.publish("letter")
    publish_changed_images(bench.publisher, ["two"])
    assert TITLE not in everything_said(bench)


def test_lists_of_others_follow_a_table_that_has_closed_images_only(bench: ObjectBench) -> None:
    put_shelf(bench, "")
    restrict(bench, "three", "closed")
    letter = book("letter", TITLE, canvases=(Canvas(image="three"),))
    mapping = MappingFile(
        folder=Path(), identifier="table", label={"en": "A table"}, table=Path(), masters=Path()
    )
    publish_objects(bench.objects, mapping, [MappedObject(1, letter)], take_over=["letter"])
    publish_announced_lists(bench.publisher, bench.events.events)
    assert TITLE not in everything_said(bench)


def test_a_catalogue_that_was_lost_is_made_again_from_the_journal(bench: ObjectBench) -> None:
    put_shelf(bench, "")
    bench.publisher = replace(
        bench.publisher, catalogue=Catalogue(MemoryCatalogueTable(), bench.publisher.journal)
    )
    rebuild_publications(bench.publisher, with_pages=True)
    for image in ("one", "two"):
        restrict(bench, image, "closed")
    assert TITLE not in everything_said(bench)


@pytest.mark.parametrize("access", ["staff", "small:300", "small:300:staff"])
def test_an_object_that_somebody_may_see_stays(bench: ObjectBench, access: str) -> None:
    restrict(bench, "one", "closed")
    restrict(bench, "two", access)
    assert listed(bench) == ["letter", "book"]


def test_a_member_that_names_no_image_is_looked_up(bench: ObjectBench) -> None:
    put_shelf(bench, "")
    for image in ("one", "two"):
        restrict(bench, image, "closed")
    assert TITLE not in everything_said(bench)
    restrict(bench, "one", "staff")
    assert listed(bench) == ["letter", "book"]


def test_an_object_is_left_out_before_its_closed_images_are_uploaded(bench: ObjectBench) -> None:
    bench.write(Removed(identifier="four", changed_at=AT, access="closed"))
    bench.objects.put(book("letter", TITLE, canvases=(Canvas(image="four"),)))
    put_shelf(bench, "four")
    assert TITLE not in everything_said(bench)
    bench.write(live("four", revision=2, access="staff"))
    publish_changed_images(bench.publisher, ["four"])
    assert listed(bench) == ["letter", "book"]


@pytest.mark.parametrize("is_early", [True, False])
def test_an_object_whose_images_are_yet_to_come_is_listed_if_it_has_a_page(
    bench: ObjectBench, is_early: bool
) -> None:
    letter = book("letter", TITLE, canvases=(Canvas(image="four"),), page_before_images=is_early)
    bench.objects.put(letter)
    put_shelf(bench, "four")
    assert ("letter" in listed(bench)) is is_early
    bench.write(live("four"))
    publish_changed_images(bench.publisher, ["four"])
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["letter", "book"]


def test_what_is_not_published_yet_is_listed_as_soon_as_it_is(bench: ObjectBench) -> None:
    members = (
        Member(identifier="book", label={"en": ("A book",)}, image="three"),
        Member(identifier="map", label={"en": ("A map",)}, image="four"),
        Member(identifier="four", label={"en": ("An image",)}, image="four"),
        Member(identifier="drawer", label={"en": ("A drawer",)}, is_collection=True),
    )
    bench.objects.put(
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=members)
    )
    assert listed(bench) == ["book"]
    bench.objects.put(ObjectCollection(identifier="drawer", label={"en": ("A drawer",)}))
    bench.objects.put(book("map", "A map", canvases=(Canvas(image="four"),)))
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["book", "drawer"]
    bench.write(live("four"))
    publish_changed_images(bench.publisher, ["four"])
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["book", "map", "four", "drawer"]


def test_images_of_all_members_are_looked_up_together(bench: ObjectBench) -> None:
    members = [Member(identifier=f"sheet-{number}", label={"en": ("A",)}) for number in range(60)]
    for member in members[40:]:
        bench.write(live(member.identifier))
    absent = AbsentMembers(bench.publisher.catalogue, bench.publisher.shown)
    with patch.object(bench.identifiers, "get_many", wraps=bench.identifiers.get_many) as look_up:
        assert absent.find(members, {}) == {one.identifier for one in members[:40]}
    assert look_up.call_count == 2, "what is seen, and what is to come"


def test_a_renamed_object_and_a_renamed_image_are_followed(bench: ObjectBench) -> None:
    bench.objects.rename("letter", "letter-1642")
    bench.write(live("uno", access="closed"))
    bench.write(Redirect(identifier="one", target="uno", changed_at=AT, revision=1))
    publish_changed_images(bench.publisher, ["one", "uno"])
    restrict(bench, "two", "closed")
    assert TITLE not in everything_said(bench)
    restrict(bench, "two", "open")
    assert "letter" in listed(bench)


def test_an_object_is_listed_or_left_out_after_a_record_with_other_images(
    bench: ObjectBench,
) -> None:
    restrict(bench, "one", "closed")
    closed = book("letter", TITLE, canvases=(Canvas(image="one"),))
    bench.objects.put(closed)
    publish_announced_lists(bench.publisher, bench.events.events)
    assert TITLE not in everything_said(bench)
    bench.objects.put(book("letter", TITLE, canvases=(Canvas(image="three"),)))
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["letter", "book"]


def test_pages_of_a_long_collection_leave_a_gap(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MEMBERS", 1)
    put_shelf(bench, "one")
    for image in ("one", "two"):
        restrict(bench, image, "closed")
    assert TITLE not in everything_said(bench)
    first, second = (
        json.loads(brotli.decompress(decode_page(bench.site.get(page_key("shelf", number))[0])[3]))
        for number in (1, 2)
    )
    assert (first["items"], len(second["items"])) == ([], 1)
    assert list(find_schema_faults(first)) == []
    restrict(bench, "two", "open")
    assert TITLE in everything_said(bench)


def test_the_last_of_many_objects_of_one_image_turns_with_it(bench: ObjectBench) -> None:
    """Each change of the image is a change of all that shows it, and of all lists of that."""
    for access, after in pairwise(["open", "closed", "staff", "closed", "open"]):
        restrict(bench, "three", access)
        restrict(bench, "three", after)
        assert ("book" in listed(bench)) is (after != "closed")


@pytest.mark.parametrize("name", ["letter", "letter-1642"])
def test_a_withdrawn_object_is_out_of_lists_until_it_is_back(bench: ObjectBench, name: str) -> None:
    """By a previous identifier as well."""
    if name != "letter":
        bench.objects.rename("letter", name)
    bench.objects.withdraw(name, "A claim.")
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["book"]
    assert TITLE not in bench.site.get(collection_page_key("shelf"))[0].decode()
    canvases = tuple(Canvas(image=image) for image in ("one", "two"))
    bench.objects.put(book(name, TITLE, canvases=canvases), replace_withdrawn=True)
    publish_announced_lists(bench.publisher, bench.events.events)
    assert listed(bench) == ["letter", "book"]


def test_a_withdrawn_collection_is_out_of_lists(bench: ObjectBench) -> None:
    member = Member(identifier="shelf", label={"en": ("A shelf",)}, image="one", is_collection=True)
    bench.objects.put(
        ObjectCollection(identifier="room", label={"en": ("A room",)}, members=(member,))
    )
    bench.objects.withdraw("shelf", "A claim.")
    publish_announced_lists(bench.publisher, bench.events.events)
    assert bench.document("room")["items"] == []


def test_what_opens_and_closes_during_a_publication_stays_out_of_it(bench: ObjectBench) -> None:
    seconds = [0.0]
    for image in ("one", "two"):
        restrict(bench, image, "closed")
    put = bench.site.put

    def rule(access: str) -> None:
        current = bench.identifiers.get("two")
        assert isinstance(current, Live)
        bench.write(replace(current, access=access, revision=current.revision + 1))

    def put_later(key: str, *arguments: Any, **named: Any) -> Any:
        if key == publication_key("shelf") and not seconds[0]:
            rule("closed")
            assert bench.publisher.publish("shelf") == published  # there is nothing to write
            seconds[0] = 5.0
        return put(key, *arguments, **named)

    published = bench.publisher.publish("shelf")
    rule("open")
    with (
        patch.object(bench.site, "put", put_later),
        patch("vitrine.catalogue.publication_basis.monotonic", lambda: seconds[0]),
    ):
        bench.publisher.publish("shelf")
    assert seconds[0]
    assert TITLE not in str(bench.document("shelf"))


def test_members_that_wait_are_listed_with_their_neighbours_and_read_once() -> None:
    bench = ObjectBench()
    names = [f"waiting-{number}" for number in range(400)]
    for name in names:
        bench.objects.put(book(name, canvases=(Canvas(image=f"of-{name}"),)))
    members = tuple(Member(identifier=name, label={"en": (name,)}) for name in names)
    bench.objects.put(
        ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=members)
    )
    # Another process, which has to read each of them once.
    journal = objects_journal(bench.records)
    publisher = replace(bench.publisher, catalogue=Catalogue(bench.catalogue, journal))
    for reads in (len(names) + 2, 0):  # with the list and the rules
        with (
            patch.object(bench.records, "list_keys", wraps=bench.records.list_keys) as list_keys,
            patch.object(bench.records, "get", wraps=bench.records.get) as get,
        ):
            publisher.publish("shelf")
        # Of calls in many threads a mock loses count, and none of the calls.
        assert len(list_keys.call_args_list) <= 1 + 16 * 3
        assert len(get.call_args_list) == reads
