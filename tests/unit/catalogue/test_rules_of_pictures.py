"""What a closed collection shows is closed, and not only the views of its objects: thumbnails and
the pictures of members have its rule as well."""

from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from vitrine.catalogue.changes import describe
from vitrine.errors import ObjectRefused
from vitrine.identify.access_changes import set_access
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

AT = "2026-11-26T10:00:00Z"
PICTURES = ("cover", "crop", "sign")


@pytest.fixture
def bench() -> ObjectBench:
    """An object of the image `one`, and pictures that no object has as a view."""
    bench = ObjectBench(*IMAGES, *PICTURES)
    bench.objects.put(letter("letter", "one"))
    return bench


def letter(identifier: str, *images: str, thumbnail: str = "") -> Any:
    canvases = tuple(Canvas(image=image) for image in images)
    return book(identifier, identifier, canvases=canvases, thumbnail=thumbnail)


def shelf(
    pictures: dict[str, str],
    access: str = "",
    *,
    name: str = "shelf",
    inner: tuple[str, ...] = (),
    **changes: Any,
) -> ObjectCollection:
    """A collection of these members, each with its picture."""
    members = tuple(
        Member(identifier=one, label={"en": (one,)}, image=image, is_collection=one in inner)
        for one, image in pictures.items()
    )
    return ObjectCollection(
        identifier=name, label={"en": (name,)}, members=members, access=access, **changes
    )


def access(bench: ObjectBench, *images: str) -> list[str]:
    records = [bench.publisher.shown.get(image) for image in images]
    return [record.access if record else "" for record in records]


def register_of(bench: ObjectBench) -> Register:
    return Register(bench.identifiers, Journal(bench.records), bench.events)


def test_an_objects_thumbnail_has_its_collections_rule(bench: ObjectBench) -> None:
    bench.objects.put(letter("letter", "one", thumbnail="crop"))
    bench.objects.put(shelf({"letter": ""}, "closed"))
    assert access(bench, "one", "crop") == ["closed", "closed"]
    bench.objects.put(letter("letter", "one", thumbnail="sign"))
    assert access(bench, "sign") == ["closed"]


def test_a_picture_of_a_member_has_the_rule_of_the_collection_that_shows_it(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf({"letter": "crop"}, "closed"))
    assert access(bench, "crop") == ["closed"]
    bench.objects.put(shelf({"letter": "sign"}))
    assert access(bench, "sign") == ["closed"], "a known member with another picture"
    bench.objects.put(shelf({"letter": "sign"}, "open"))
    assert access(bench, "sign") == ["open"]


def test_nothing_of_a_picture_is_published_before_it_has_the_rule(bench: ObjectBench) -> None:
    seen = list[str]()
    put = bench.site.put

    def watch(key: str, *args: Any, **how: Any) -> Any:
        seen.extend(access(bench, *PICTURES))
        return put(key, *args, **how)

    bench.objects.put(letter("letter", "one", thumbnail="crop"))
    bench.site.put = watch
    bench.objects.put(shelf({"letter": "sign"}, "closed", thumbnail="cover"))
    assert seen
    assert set(seen) == {"closed"}


def test_a_collections_own_thumbnail_has_its_rule(bench: ObjectBench) -> None:
    bench.objects.put(shelf({}, "closed", thumbnail="cover"))
    assert access(bench, "cover") == ["closed"]
    bench.objects.put(shelf({}, thumbnail="crop"))
    assert access(bench, "crop") == ["closed"]


def test_so_has_what_collections_in_it_show(bench: ObjectBench) -> None:
    bench.objects.put(shelf({"letter": "crop"}, name="box", thumbnail="cover"))
    bench.objects.put(shelf({"box": "sign"}, "closed", inner=("box",)))
    assert access(bench, *PICTURES) == ["closed"] * 3
    bench.objects.put(shelf({"letter": "two"}, name="box", thumbnail="three"))
    assert access(bench, "two", "three") == ["closed", "closed"]


def test_what_is_shown_by_a_closed_and_by_an_open_collection_is_closed(bench: ObjectBench) -> None:
    bench.objects.put(letter("poster", "cover"))
    bench.objects.put(shelf({"poster": "cover"}, "open", name="window"))
    bench.objects.put(shelf({"letter": ""}, "closed", thumbnail="cover"))
    assert access(bench, "cover") == ["closed"]
    register_of(bench).change("cover", set_access("cover", "open", AT))
    bench.objects.put(shelf({"letter": "cover"}))
    assert access(bench, "cover") == ["open"], "it was said for the image"


def test_a_picture_belongs_to_the_list_that_shows_it_and_not_to_the_member(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf({"shelf": "sign", "letter": "crop"}, name="all", inner=("shelf",)))
    bench.objects.put(shelf({"letter": ""}, "closed"))
    assert access(bench, "one", "sign", "crop") == ["closed", "open", "open"]


def test_an_image_that_is_given_back_has_the_rules_of_what_shows_it_as_a_picture(
    bench: ObjectBench,
) -> None:
    bench.objects.put(shelf({"letter": "crop"}, "closed", thumbnail="cover"))
    bench.objects.put(letter("letter", "one", thumbnail="sign"))
    memberships = bench.publisher.memberships
    assert [memberships.collections.following(image) for image in PICTURES] == [{"shelf"}] * 3
    bench.objects.rename("shelf", "rack")
    assert memberships.collections.following("cover") == {"rack"}
    assert access(bench, "cover") == ["closed"]


def test_a_redirect_from_a_picture_leads_to_what_has_its_rule(bench: ObjectBench) -> None:
    bench.objects.put(shelf({"letter": "crop"}, "closed"))
    Redirects(register_of(bench)).add("crop", "two", replace_live=True)
    assert access(bench, "two") == ["closed"]


def test_a_picture_that_can_be_no_image_is_refused_and_stops_no_rule_where_it_is_stored(
    bench: ObjectBench,
) -> None:
    bad = "x" * 1_100
    with pytest.raises(ObjectRefused) as refused:
        bench.objects.put(shelf({"letter": bad}, "closed", thumbnail=bad))
    assert [fault.split(":")[0] for fault in refused.value.faults] == [
        "thumbnail",
        "members[0].image",
    ]
    record = describe(shelf({"a": bad, "letter": "crop"}, "closed", thumbnail=bad), AT)
    bench.objects.change("shelf", record)
    bench.objects.change("shelf", describe(shelf({"letter": "sign"}), AT))
    assert access(bench, "one", "crop", "sign") == ["closed"] * 3
    assert bench.identifiers.get(bad) is None


def test_a_collection_is_closed_whatever_was_taken_of_it_before(bench: ObjectBench) -> None:
    bad = "x" * 1_100
    stored = shelf({"a": bad, "letter": "crop"}, thumbnail=bad)
    bench.objects.change("shelf", describe(stored, AT))
    bench.objects.put(msgspec.structs.replace(stored, access="closed"))
    assert access(bench, "one", "crop") == ["closed", "closed"]
    for item in (
        msgspec.structs.replace(stored, access="CLOSED"),
        msgspec.structs.replace(stored, summary={"en": ("Letters",)}),
    ):
        with pytest.raises(ObjectRefused):
            bench.objects.put(item)
