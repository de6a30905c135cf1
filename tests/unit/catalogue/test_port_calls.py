"""How often a publication asks S3, DynamoDB and EventBridge: each call is most of its time."""

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench, book
from vitrine.catalogue.announced_uses import AnnouncedUses
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import objects_journal
from vitrine.catalogue.statements import Catalogue
from vitrine.iiif.presentation.model import Canvas, PublishedObject

COLLECTION = "shelf"
TWO = (Canvas(image="one"), Canvas(image="two"))


class Counting:
    """A port whose calls are counted."""

    def __init__(self, port: Any, name: str, calls: Counter[str]) -> None:
        self._port, self._name, self._calls = port, name, calls

    def __getattr__(self, method: str) -> Any:
        def call(*args: Any, **how: Any) -> Any:
            # Nothing is sent for no statement.
            self._calls[f"{self._name}.{method}"] += args != ([],)
            return getattr(self._port, method)(*args, **how)

        return call


@pytest.fixture
def calls() -> Counter[str]:
    return Counter()


@pytest.fixture
def objects(calls: Counter[str]) -> Objects:
    """A service that published an object of a collection, and knows the images of another one."""
    bench = ObjectBench(*IMAGES)

    def count(port: str) -> Any:
        return Counting(getattr(bench, port), port, calls)

    records = count("records")
    publisher = replace(
        bench.publisher,
        records=records,
        catalogue=Catalogue(count("catalogue"), objects_journal(records)),
        **{port: count(port) for port in ("site", "identifiers", "events")},
    )
    uses = AnnouncedUses(publisher)
    uses.add("book", {canvas.image for canvas in TWO}, [COLLECTION])
    uses.finish()
    publisher.site_pages.titles.announce(COLLECTION, {"en": ("A shelf",)})
    objects = Objects(publisher)
    objects.put(leaf("another", canvases=(Canvas(image="three"),)))
    calls.clear()
    return objects


def leaf(identifier: str = "book", **changes: Any) -> PublishedObject:
    return book(identifier, **{"canvases": TWO, "part_of": (COLLECTION,), **changes})


def test_images_that_join_are_two_calls_each_and_three_for_all(
    objects: Objects, calls: Counter[str]
) -> None:
    objects.publisher.memberships.join({name: ["drawer"] for name in ("new", "newer", "last")})
    assert (calls["records.put"], calls["identifiers.write"]) == (3, 3)
    assert calls.total() - 6 == 3, calls


def test_a_new_object_of_two_images_is_20_calls(objects: Objects, calls: Counter[str]) -> None:
    objects.put(leaf())
    assert calls == {
        # Its record, in a journal that is listed before it is written.
        "records.list_keys": 1,
        "records.put": 1,
        "catalogue.write": 2,
        # Which collections list it, before and after the record.
        "catalogue.about": 2,
        # The table of rules each time that images are read: to note their collections before the
        # record is written; after it, and to publish them; and once they have pages.
        "records.head": 3,
        "identifiers.get_many": 3,
        # Its publication, and its three pages and those of its images, which nobody looks for.
        "site.get": 1,
        "site.put": 6,
        "events.publish": 1,
    }


def test_the_same_object_again_is_5_calls(objects: Objects, calls: Counter[str]) -> None:
    objects.put(leaf())
    calls.clear()
    assert not objects.put(leaf()).changed
    assert calls.total() == 5, calls


def test_a_slow_publication_is_compared_and_not_made_again(
    objects: Objects, calls: Counter[str]
) -> None:
    seconds = itertools.count(step=10)
    with patch("vitrine.catalogue.publication_basis.monotonic", lambda: next(seconds)):
        objects.put(leaf())
    # 20, its publication and record, its images and their rules.
    assert calls.total() == 24, calls


def test_another_title_is_14_calls(objects: Objects, calls: Counter[str]) -> None:
    objects.put(leaf())
    calls.clear()
    objects.put(leaf(title="Another title"))
    assert calls["site.put"] == 4  # three pages, and the publication
    assert calls.total() == 14, calls
