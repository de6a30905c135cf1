"""A table of contents names what can be seen: no heading leads to closed or missing images only."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere, Range

HEADINGS = ("Letters", "Smith", "Enclosure", "Jones", "Drawings", "Sketch", "Note", "Index", "See")
Contents = list[tuple[str, list[int]]]
"""Headings from the first to the last, with the numbers of their own canvases, from 1."""


def part(label: str, *canvases: int, parts: tuple[Range, ...] = ()) -> Range:
    return Range(label={"en": (label,)}, canvases=canvases, ranges=parts)


CONTENTS = (
    part("Letters", parts=(part("Smith", 0, parts=(part("Enclosure"),)), part("Jones", 1))),
    part("Drawings", 1, parts=(part("Sketch", 0, 2), part("Note"))),
    part("Index", parts=(part("See"),)),
)
WHOLE: Contents = [
    ("Letters", []),
    ("Smith", [1]),
    ("Enclosure", []),
    ("Jones", [2]),
    ("Drawings", [2]),
    ("Sketch", [1, 3]),
    ("Note", []),
    ("Index", []),
    ("See", []),
]


def number_of(address: str) -> int:
    return int(address.rpartition("/")[2])


def contents_in_3(ranges: list[Mapping[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    for one in ranges:
        canvases = [number_of(part["id"]) for part in one["items"] if part["type"] == "Canvas"]
        yield one["label"]["en"][0], canvases
        yield from contents_in_3([part for part in one["items"] if part["type"] == "Range"])


def contents_in_2(manifest: Mapping[str, Any]) -> Contents:
    listed = manifest.get("structures", [])
    by_name = {one["@id"]: one for one in listed}
    assert {name for one in listed for name in one.get("ranges", ())} == {*by_name} - {
        one["@id"] for one in listed if one.get("viewingHint") == "top"
    }
    return [
        (words_of(one["label"]), [number_of(name) for name in one.get("canvases", ())])
        for one in listed
        if one.get("viewingHint") != "top"
    ]


def words_of(label: Any) -> str:
    """Return a label of version 2, with its language or without."""
    first = label[0] if isinstance(label, list) else label
    return str(first["@value"] if isinstance(first, dict) else first)


def contents(bench: ObjectBench) -> Contents:
    """Return the table of contents, the same in both versions and on the page."""
    manifest = bench.document("book")
    found = [*contents_in_3(manifest.get("structures", []))]
    assert contents_in_2(bench.document("book", 2)) == found
    page = bench.site.get("objects/book")[0].decode()
    assert [word for word in HEADINGS if word in page] == [label for label, _ in found]
    return found


def put_rule(bench: ObjectBench, image: str, rule: str) -> None:
    current = bench.identifiers.get(image)
    bench.write(replace(live(image), access=rule, revision=current.revision + 1 if current else 1))


def close(bench: ObjectBench, image: str) -> None:
    put_rule(bench, image, "closed")


def withdraw(bench: ObjectBench, image: str) -> None:
    bench.withdraw_image(image)


@pytest.mark.parametrize("hide", [close, withdraw])
@pytest.mark.parametrize(
    ("image", "left"),
    [
        (
            "one",
            [
                ("Letters", []),
                ("Jones", [1]),
                ("Drawings", [1]),
                ("Sketch", [2]),
                ("Note", []),
                ("Index", []),
                ("See", []),
            ],
        ),
        (
            "two",
            [
                ("Letters", []),
                ("Smith", [1]),
                ("Enclosure", []),
                ("Drawings", []),
                ("Sketch", [1, 2]),
                ("Note", []),
                ("Index", []),
                ("See", []),
            ],
        ),
    ],
)
def test_headings_of_an_image_leave_with_it_and_come_back(
    hide: Callable[[ObjectBench, str], None], image: str, left: Contents
) -> None:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(book(ranges=CONTENTS))
    assert contents(bench) == WHOLE
    hide(bench, image)
    publish_changed_images(bench.publisher, [image])
    assert contents(bench) == left
    put_rule(bench, image, "open")
    publish_changed_images(bench.publisher, [image])
    assert contents(bench) == WHOLE


def test_headings_come_with_the_first_of_their_images() -> None:
    bench = ObjectBench("three")
    bench.objects.put(book(ranges=CONTENTS))
    expected = [("Drawings", []), ("Sketch", [1]), ("Note", []), ("Index", []), ("See", [])]
    assert contents(bench) == expected
    for image in ("two", "one"):
        bench.write(live(image))
    publish_changed_images(bench.publisher, ["one", "two"])
    assert contents(bench) == WHOLE


@pytest.mark.parametrize("rule", ["staff", "small:700", "small:700:staff"])
def test_headings_of_what_is_described_stay(rule: str) -> None:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(book(ranges=CONTENTS))
    put_rule(bench, "one", rule)
    publish_changed_images(bench.publisher, ["one"])
    assert contents(bench) == WHOLE


def test_without_any_heading_there_is_no_table_of_contents() -> None:
    bench = ObjectBench(*IMAGES)
    bench.objects.put(book(ranges=(part("Letters", 0, parts=(part("Smith"),)),)))
    close(bench, "one")
    publish_changed_images(bench.publisher, ["one"])
    assert contents(bench) == []
    assert all("structures" not in bench.document("book", version) for version in (2, 3))
    assert 'id="contents"' not in bench.site.get("objects/book")[0].decode()


def test_headings_of_images_elsewhere_stay() -> None:
    elsewhere = ImageElsewhere(address="https://example.org/a.jpg", width=8, height=6)
    bench = ObjectBench("one")
    canvases = (Canvas(image="one"), Canvas(elsewhere=elsewhere))
    bench.objects.put(book(canvases=canvases, ranges=(part("Smith", 0), part("Jones", 1))))
    close(bench, "one")
    publish_changed_images(bench.publisher, ["one"])
    assert contents(bench) == [("Jones", [1])]
