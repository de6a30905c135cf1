"""A book of three images of which one is withdrawn, replaced or restricted: it goes on with the
rest, and nothing that is published of it leads to what is not there."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.catalogue.object_bench import BASE, IMAGES, ObjectBench, book, shelf
from tests.unit.deliver.deliver_records import live
from vitrine.iiif.presentation.model import Range
from vitrine.search.titles.rows import make_row as make_search_row
from vitrine.site.dumps.rows import make_row
from vitrine.store.site_layout import (
    collection_page_key,
    embed_page_key,
    object_page_key,
    oembed_key,
)

SHOWN = re.compile(re.escape(BASE) + r"/iiif/\d/([^/]+)/full/")
LINKED = re.compile(r"/iiif/\d/([^/\"]+)")
RANGES = (
    Range(label={"en": ("Cover",)}, canvases=(0,)),
    Range(label={"en": ("Body",)}, canvases=(1, 2)),
)


@pytest.fixture
def bench() -> ObjectBench:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(book(ranges=RANGES, start=2))
    bench.objects.put(shelf())
    return bench


def change(bench: ObjectBench, image: str, rule: str) -> None:
    """Let an image be withdrawn, or have a rule of access; then publish all that shows it."""
    if rule == "withdrawn":
        bench.withdraw_image(image)
    else:
        current = bench.identifiers.get(image)
        assert current
        bench.write(replace(current, access=rule, revision=current.revision + 1))
    for name in bench.publisher.objects_with(image):
        bench.publisher.publish(name)
    bench.publisher.update_image(image)


def canvases(bench: ObjectBench) -> list[str]:
    manifest = bench.document("book")
    painted = [one["items"][0]["items"][0]["body"] for one in manifest["items"]]
    return [one["service"][0]["id"].rpartition("/")[2] for one in painted]


def thumbnails(bench: ObjectBench) -> Iterator[str]:
    """Yield the image of each small picture: of both manifests, the dump and the search."""
    for version, field in ((3, "thumbnail"), (2, "thumbnail")):
        found = bench.document("book", version)[field]
        picture = found[0]["id"] if version == 3 else found["@id"]
        yield _shown(picture)
    row = make_row("book", bench.published("book"), BASE, "2026-01-01T00:00:00Z")
    assert row
    yield _shown(row["thumbnail"])
    card = make_search_row("book", "1", bench.published("book"), BASE).card
    assert card
    yield _shown(BASE + card.thumbnail)


def shared(bench: ObjectBench) -> str:
    """Return the image by which other sites show the book."""
    return _shown(json.loads(_text(bench, oembed_key("book")))["thumbnail_url"])


def _shown(address: str) -> str:
    found = SHOWN.match(address)
    assert found, address
    return found[1]


def _text(bench: ObjectBench, key: str) -> str:
    return str(bench.site.get(key)[0].decode(errors="replace"))


@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("rule", ["withdrawn", "closed"])
def test_what_nobody_may_see_leaves_everything_that_is_published(
    bench: ObjectBench, image: str, rule: str
) -> None:
    change(bench, image, rule)
    left = [one for one in IMAGES if one != image]
    assert canvases(bench) == left
    assert {*thumbnails(bench), shared(bench)} == {left[0]}
    for key in (
        object_page_key("book"),
        embed_page_key("book"),
        collection_page_key("shelf"),
    ):
        named = set(LINKED.findall(_text(bench, key)))
        assert image not in named, key
    manifest = bench.document("book")
    places = [one["id"] for one in manifest["items"]]
    for part in manifest["structures"]:
        assert {one["id"] for one in part["items"]} <= set(places)
    assert f"/{image}/" not in json.dumps([manifest, bench.document("book", 2)])
    assert f"/{image}/" not in json.dumps(bench.document("shelf"))
    row = make_row("book", bench.published("book"), BASE, "")
    assert row
    assert (row["state"], row["canvases"]) == ("published", 2)


@pytest.mark.parametrize("image", IMAGES)
def test_what_needs_a_right_stays_a_canvas_and_is_no_thumbnail(
    bench: ObjectBench, image: str
) -> None:
    change(bench, image, "staff")
    assert canvases(bench) == list(IMAGES)
    assert {*thumbnails(bench), shared(bench)} == {next(one for one in IMAGES if one != image)}


def test_the_thumbnail_that_is_named_counts_if_everybody_may_see_it(bench: ObjectBench) -> None:
    bench.objects.put(book(thumbnail="three"))
    assert set(thumbnails(bench)) == {"three"}
    change(bench, "three", "staff")
    assert set(thumbnails(bench)) == {"one"}
    change(bench, "three", "withdrawn")
    assert set(thumbnails(bench)) == {"one"}


def test_a_replaced_image_is_shown_as_it_is_now(bench: ObjectBench) -> None:
    current = bench.identifiers.get("one")
    assert current
    bench.write(live("one", 300, 900, revision=current.revision + 1, version="b" * 10))
    bench.publisher.publish("book")
    first = bench.document("book")["items"][0]
    assert (first["width"], first["height"]) == (300, 900)
    assert canvases(bench) == list(IMAGES)
    assert set(thumbnails(bench)) == {"one"}


def test_what_is_restored_comes_back_to_its_place(bench: ObjectBench) -> None:
    before = bench.document("book")
    change(bench, "two", "withdrawn")
    assert bench.document("book")["start"]["id"] == f"{BASE}/presentation/3/book/canvas/2"
    gone = bench.identifiers.get("two")
    assert gone
    bench.write(live("two", 800, 600, revision=gone.revision + 1))
    bench.publisher.publish("book")
    assert bench.document("book") == before
