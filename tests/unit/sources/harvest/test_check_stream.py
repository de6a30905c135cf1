"""Each thing that the Change Discovery API asks for is missed when it is not there."""

from collections.abc import Callable

import pytest

from tests.unit.site.discovery.made_streams import (
    BASE,
    COLLECTION,
    Stream,
    activity,
    manifest,
    page_address,
)
from vitrine.sources.harvest.check_stream import StreamReport, check_stream
from vitrine.sources.harvest.guarded_http import NotHarvested


def check(stream: Stream, **options: int) -> StreamReport:
    return check_stream(COLLECTION, stream.fetch, **options)


def test_a_good_stream_has_no_findings() -> None:
    report = check(Stream(), follow=10)
    assert report.findings == []
    assert (report.pages, report.activities, report.is_whole) == (3, 7, True)
    assert (report.level, report.followed) == (2, 3)
    assert report.types == {"Create": 2, "Refresh": 1, "Update": 2, "Move": 1, "Delete": 1}


Break = Callable[[Stream], object]
ERRORS: dict[str, tuple[Break, str]] = {
    "a collection that says it is elsewhere": (
        lambda it: it.collection.update(id=f"{BASE}/other"),
        "id is https://museum.example/other, and it was found at another address",
    ),
    "a collection of another type": (
        lambda it: it.collection.update(type="Collection"),
        "type is 'Collection', not 'OrderedCollection'",
    ),
    "no context": (lambda it: it.collection.pop("@context"), "@context does not end with"),
    "another context last": (
        lambda it: it.page(1).update({"@context": [it.page(1)["@context"], "https://x.example/"]}),
        "@context does not end with",
    ),
    "no last": (lambda it: it.collection.pop("last"), "last is missing"),
    "a first that is no link": (
        lambda it: it.collection.update(first=page_address(0)),
        "first is not an object whose id is an HTTP(S) URI",
    ),
    "a negative number": (
        lambda it: it.collection.update(totalItems=-1),
        "totalItems is -1, not a non-negative integer",
    ),
    "another number": (lambda it: it.collection.update(totalItems=9), "and its pages have 7"),
    "another first page": (
        lambda it: it.collection.update(first=it.collection["last"]),
        "and prev ends at https://museum.example/activity/page-0.json",
    ),
    "a page that is not there": (
        lambda it: it.documents.pop(page_address(1)),
        "page-1.json answers 404",
    ),
    "a page of another collection": (
        lambda it: it.page(1)["partOf"].update(id=f"{BASE}/other"),
        "partOf is https://museum.example/other",
    ),
    "a page that begins elsewhere": (
        lambda it: it.page(1).update(startIndex=5),
        "startIndex is 5, and 2 come before",
    ),
    "a circle": (
        lambda it: it.page(0).update(prev=it.collection["last"]),
        "prev leads back to a page that came after it",
    ),
    "a next that leads past a page": (
        lambda it: it.page(0).update(next=it.collection["last"]),
        "next is not https://museum.example/activity/page-1.json",
    ),
    "an empty page": (
        lambda it: it.page(1).update(orderedItems=[]),
        "orderedItems is not a list with at least one activity",
    ),
    "an activity that is a text": (
        lambda it: it.page(1)["orderedItems"].append("Update"),
        "is not a JSON object",
    ),
    "an unknown type": (
        lambda it: it.item(0, 0).update(type="Creation"),
        "type is 'Creation', which is no type of activity",
    ),
    "no object": (lambda it: it.item(0, 0).pop("object"), "object is missing"),
    "an object without type": (
        lambda it: it.item(0, 0)["object"].pop("type"),
        "object.type is missing",
    ),
    "an object that is no address": (
        lambda it: it.item(0, 0)["object"].update(id="a"),
        "object.id is 'a', not an HTTP(S) URI",
    ),
    "a move without target": (lambda it: it.item(2, 0).pop("target"), "target is missing"),
    "a move to the same place": (
        lambda it: it.item(2, 0).update(target=manifest("a")),
        "target has the same id as the object",
    ),
    "a time of somewhere": (
        lambda it: it.item(0, 0).update(endTime="2026-11-01T10:00:00+02:00"),
        "not a xsd:dateTime in UTC",
    ),
    "a time that does not exist": (
        lambda it: it.item(0, 0).update(endTime="2026-11-31T10:00:00Z"),
        "not a xsd:dateTime in UTC",
    ),
    "the newest first in a page": (
        lambda it: it.page(0)["orderedItems"].reverse(),
        "later than the activity behind it",
    ),
    "pages in the wrong order": (
        lambda it: it.item(0, 0).update(endTime="2026-11-30T10:00:00Z"),
        "later than the activity behind it",
    ),
    "a refresh with an object": (
        lambda it: it.item(1, 0).update(object=manifest("a")),
        "object has no place in a Refresh",
    ),
    "an actor of no type": (
        lambda it: it.item(0, 0).update(actor={"id": BASE}),
        "actor has none of the types",
    ),
    "a summary in languages": (
        lambda it: it.item(0, 0).update(summary={"en": ["x"]}),
        "summary is not a text",
    ),
    "a description that is no list": (
        lambda it: it.item(0, 0)["object"].update(seeAlso={"id": BASE, "type": "Dataset"}),
        "seeAlso is not a list of objects with id and the type Dataset",
    ),
    "a provider without address": (
        lambda it: it.item(0, 0)["object"].update(provider=[{"type": "Agent"}]),
        "provider is not a list of objects with id and the type Agent",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_must_be_is_missed(name: str) -> None:
    stream = Stream()
    break_it, sentence = ERRORS[name]
    break_it(stream)
    found = [one.sentence for one in check(stream).errors]
    assert any(sentence in one for one in found), found


WARNINGS: dict[str, tuple[Break, str]] = {
    "no first": (lambda it: it.collection.pop("first"), "first is missing"),
    "no next": (lambda it: it.page(0).pop("next"), "next is missing"),
    "no partOf": (lambda it: it.page(0).pop("partOf"), "partOf is missing"),
    "no time": (lambda it: it.item(0, 0).pop("endTime"), "so the stream is of level 0"),
    "an image": (
        lambda it: it.item(0, 0)["object"].update(type="ImageService3"),
        "object.type is ImageService3, not Manifest or Collection",
    ),
    "a like": (lambda it: it.item(0, 0).update(type="Like"), "type is Like: harvesters act on"),
    "an addition to nothing": (
        lambda it: it.item(0, 0).update(type="Add"),
        "harvesters pass over this Add",
    ),
    "a refresh at no time": (lambda it: it.item(1, 0).pop("startTime"), "startTime is missing"),
    "a second creation": (
        lambda it: it.item(1, 1).update(type="Create"),
        "which is made again without a Delete between",
    ),
    "a change of what was deleted": (
        lambda it: it.item(0, 1).update(type="Delete"),
        "of which a later Update speaks again",
    ),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_what_should_be_is_a_warning(name: str) -> None:
    stream = Stream()
    break_it, sentence = WARNINGS[name]
    break_it(stream)
    report = check(stream)
    found = [one.sentence for one in report.findings if not one.is_error]
    assert any(sentence in one for one in found), found
    assert report.errors == []


def test_objects_that_changed_last_are_there_or_gone() -> None:
    stream = Stream()
    del stream.documents[f"{BASE}/c/manifest.json"]
    stream.documents[f"{BASE}/b/manifest.json"] = manifest("b")
    report = check(stream, follow=10)
    sentences = [one.sentence for one in report.findings]
    assert "was announced as gone, and is still there" in sentences
    assert any("was announced, and cannot be read" in one for one in sentences)


def test_an_object_of_another_type_is_an_error() -> None:
    stream = Stream()
    stream.documents[f"{BASE}/c/manifest.json"] = {"@id": f"{BASE}/c", "@type": "sc:Collection"}
    found = [one.sentence for one in check(stream, follow=10).findings]
    assert found == [f"has the id {BASE}/c", "is a Collection, not a Manifest"]


@pytest.mark.parametrize(
    ("kinds", "level"), [(("Update", "Update"), 1), (("Create", "Update"), 2), (("Update", ""), 0)]
)
def test_the_level_is_what_activities_allow(kinds: tuple[str, str], level: int) -> None:
    stream = Stream()
    stream.collection["last"] = stream.collection["first"]
    stream.page(0)["orderedItems"] = [
        activity(kind or "Update", name, 1) for kind, name in zip(kinds, "ab", strict=True)
    ]
    if not kinds[1]:
        del stream.item(0, 1)["endTime"]
    assert check(stream).level == level


def test_of_a_long_stream_the_end_is_seen() -> None:
    report = check(Stream(), most_pages=1)
    assert (report.pages, report.is_whole, report.errors) == (1, False, [])


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b"[" * 100_000, b"\xff"])
def test_what_is_no_stream_says_why(body: bytes) -> None:
    with pytest.raises(NotHarvested, match=r"is not JSON|is JSON, but no object"):
        check_stream(COLLECTION, lambda address: body)


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {"id": 1}, {"id": []}, True])
def test_no_value_in_any_place_is_too_strange(value: object) -> None:
    for name in ("@context", "id", "type", "totalItems", "first", "last", "seeAlso", "partOf"):
        stream = Stream()
        stream.collection[name] = value
        check(stream)
    for name in ("prev", "next", "partOf", "startIndex", "orderedItems"):
        stream = Stream()
        stream.page(1)[name] = value
        check(stream)
    for name in ("type", "object", "target", "endTime", "startTime", "actor", "summary", "id"):
        stream = Stream()
        stream.item(2, 0)[name] = value
        check(stream, follow=9)
