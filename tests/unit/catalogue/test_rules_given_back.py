"""An image that somebody gave back to its collections after it left one stays as open as that."""

from collections.abc import Collection, Iterator

import pytest

from tests.unit.catalogue.rules_museum import Museum
from tests.unit.catalogue.three_objects import IMAGES, OBJECTS, put, run_museum, settle
from tests.unit.ingest.followed_masters import publish_upload
from vitrine.catalogue.rebuild import rebuild_publications


@pytest.fixture
def museum() -> Iterator[Museum]:
    """Three objects of an image each."""
    with run_museum() as museum:
        yield museum


def test_what_was_given_back_after_it_left_stays_open(museum: Museum) -> None:
    put(museum, "closed")
    settle(museum)
    put(museum, "", ["book"])
    museum.withdraw("shelf")
    # Before the publisher looks at what left.
    for image in IMAGES:
        museum.give_back(image)
    rebuild_publications(museum.bench.publisher, with_pages=True)
    assert settle(museum) == ["open"] * 3


def test_what_was_opened_since_it_left_inside_a_collection_stays_open(museum: Museum) -> None:
    put(museum, "closed")
    settle(museum)
    museum.withdraw("map")
    museum.put_collection("shelf", OBJECTS[:2], "")
    museum.give_back("three")
    assert settle(museum) == ["closed", "closed", "open"]


def test_a_new_version_of_what_was_given_back_stays_open(museum: Museum) -> None:
    publish_upload(museum.services, "new.tif", "new")
    museum.put_object("map", ["new"])
    put(museum, "closed")
    settle(museum)
    put(museum, "", ["book"])
    museum.give_back("new")
    publish_upload(museum.services, "new.tif", "new")
    settle(museum)
    assert museum.access("new") == "open"


def test_a_name_that_is_redirected_to_what_was_given_back_closes_it(museum: Museum) -> None:
    museum.put_object("map", ["old"])
    put(museum, "")
    settle(museum)
    museum.say("three", "closed")
    museum.set_rule("shelf", "closed")
    museum.withdraw("shelf")
    museum.give_back("three")
    museum.add_redirect("old", "three")
    assert settle(museum) == ["closed"] * 3


def test_what_is_closed_and_leaves_while_it_is_given_back_is_closed(museum: Museum) -> None:
    put(museum, "")
    settle(museum)
    museum.say("three", "closed")
    is_first = iter([True])

    def find_collections(noted: Collection[str]) -> set[str]:
        found = museum.bench.publisher.memberships.collections.following("three", noted)
        if next(is_first, False):
            museum.set_rule("shelf", "closed")
            museum.withdraw("shelf")
        return found

    museum.curation.inherit("three", find_collections)
    assert settle(museum) == ["closed"] * 3


@pytest.mark.parametrize("leaves", ["the list", "both collections"])
def test_what_was_inside_between_two_changes_of_a_closed_collection_is_closed(
    museum: Museum, leaves: str
) -> None:
    put(museum, "", [], "box")
    put(museum, "closed", ["box"])
    settle(museum)
    put(museum, "", OBJECTS, "box")
    put(museum, "", ["box", "atlas"])
    if leaves == "the list":
        put(museum, "", [], "box")
        put(museum, "", [])
    else:
        museum.withdraw("box")
        museum.withdraw("shelf")
    assert settle(museum) == ["closed"] * 3
