"""What leaves a collection keeps the rule that it had there, also if images were yet to get it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.catalogue.rules_museum import Museum
from tests.unit.catalogue.three_objects import IMAGES, OBJECTS, put, run_museum, settle
from vitrine.catalogue import concerned_members, inherited_rules
from vitrine.catalogue.inherited_rules import InheritedRules
from vitrine.catalogue.ruled_collections import Holders
from vitrine.identify.register import Register

pytestmark = pytest.mark.slow


@pytest.fixture
def museum() -> Iterator[Museum]:
    """Three objects of an image each."""
    with run_museum() as museum:
        yield museum


@pytest.mark.parametrize("before", ["", "open", "small:1000"])
def test_a_withdrawn_collection_has_closed_all_of_it(museum: Museum, before: str) -> None:
    put(museum, before)
    settle(museum)
    museum.set_rule("shelf", "closed")
    museum.withdraw("shelf")
    assert settle(museum) == ["closed"] * 3


def test_nothing_that_left_opens_later(museum: Museum) -> None:
    """A message may come after what was said since."""
    put(museum, "closed")
    settle(museum)
    museum.set_rule("shelf", "open")
    museum.withdraw("shelf")
    assert settle(museum) == ["open", "closed", "closed"]


def test_an_image_that_left_by_its_previous_name_stays_closed(museum: Museum) -> None:
    museum.put_object("book", ["two"])
    put(museum, "closed", ["book"])
    settle(museum)
    put(museum, "open", ["book"])
    settle(museum)
    museum.put_object("atlas", ["new"])
    put(museum, "closed", ["atlas"])
    museum.add_redirect("two", "new")
    settle(museum)
    rules = museum.bench.publisher.rules
    for since in range(5):
        rules.update("shelf", since, "", lambda: True)
        rules.update("book", since, "", lambda: True)
        assert museum.access("new") == "closed"


@pytest.mark.parametrize("said", ["open", "closed"])
def test_a_late_slice_of_a_previous_identifier_says_nothing_that_is_past(
    museum: Museum, said: str
) -> None:
    put(museum, "open" if said == "closed" else "closed")
    settle(museum)
    museum.rename("shelf", "rack")
    put(museum, said, name="rack")
    settle(museum)
    put(museum, "", ["book"], name="rack")
    settle(museum)
    for since in range(4):
        museum.bench.publisher.rules.update("shelf", since, "", lambda: True)
    assert [museum.access(image) for image in IMAGES] == [said] * 3


def test_what_left_without_a_restriction_costs_no_look_at_its_images(museum: Museum) -> None:
    put(museum, "")
    settle(museum)
    put(museum, "closed", ["book"])
    museum.bench.events.events.clear()
    with patch.object(
        inherited_rules.InheritedRules, "_holders_of_image", side_effect=AssertionError
    ):
        settle(museum)
        museum.bench.publisher.rules.update("shelf", 1, "", lambda: True)
    assert museum.access("two") != "closed"


def test_a_collection_closes_what_it_lists_no_longer(museum: Museum) -> None:
    put(museum, "closed")
    put(museum, "", ["book"])
    assert settle(museum) == ["closed"] * 3


def test_what_left_has_its_last_rule_and_what_stayed_the_current_one(museum: Museum) -> None:
    put(museum, "closed")
    put(museum, "", ["book"])
    put(museum, "open", ["book"])
    assert settle(museum) == ["open", "closed", "closed"]


def test_an_image_that_left_and_is_still_shown_there_has_the_current_rule(
    museum: Museum,
) -> None:
    museum.put_object("atlas", ["three"])
    put(museum, "closed", [*OBJECTS, "atlas"])
    settle(museum)
    museum.set_rule("shelf", "open")
    put(museum, "", ["atlas"])
    museum.set_rule("shelf", "small:1000")
    assert settle(museum) == ["closed", "closed", "small:1000"]


def test_a_collection_that_is_renamed_meanwhile_closes_them(museum: Museum) -> None:
    put(museum, "closed")
    put(museum, "", ["book"])
    museum.rename("shelf", "rack")
    assert settle(museum) == ["closed"] * 3


@pytest.mark.parametrize("leaves", ["list", "web"])
def test_so_do_outer_collections(museum: Museum, leaves: str) -> None:
    put(museum, "", name="box")
    put(museum, "", ["box"])
    settle(museum)
    museum.set_rule("shelf", "closed")
    put(museum, "", []) if leaves == "list" else museum.withdraw("box")
    assert settle(museum) == ["closed"] * 3


def test_a_withdrawn_object_and_a_replaced_picture_are_closed(museum: Museum) -> None:
    museum.put_collection("shelf", ["book", "letter"], "", ["", "", "three"])
    settle(museum)
    museum.set_rule("shelf", "closed")
    museum.put_collection("shelf", ["book", "letter"], "", ["", "", "one"])
    museum.withdraw("letter")
    assert settle(museum) == ["closed"] * 3


LEAVES: dict[str, Callable[[Museum], None]] = {
    "the object drops its image": lambda museum: museum.put_object("map", ["four"]),
    "it is withdrawn": lambda museum: museum.withdraw("map"),
    "the inner collection drops it": lambda museum: put(museum, "", OBJECTS[:2], "box"),
    "that is withdrawn": lambda museum: museum.withdraw("box"),
}


@pytest.mark.parametrize("before", ["", "open", "small:1000"])
@pytest.mark.parametrize("leaves", LEAVES)
def test_what_leaves_inside_a_collection_while_its_rule_is_on_the_way_is_closed(
    museum: Museum, leaves: str, before: str
) -> None:
    put(museum, "", name="box")
    put(museum, "closed", ["box"])
    settle(museum)
    museum.set_rule("shelf", before or "open")
    settle(museum)
    museum.set_rule("shelf", "closed")
    LEAVES[leaves](museum)
    assert settle(museum) == ["closed"] * 3


TWICE: dict[str, list[Callable[[Museum], None]]] = {
    "the collection, then its object": [
        lambda museum: museum.withdraw("shelf"),
        lambda museum: museum.withdraw("map"),
    ],
    "its list, then an image of an object": [
        lambda museum: put(museum, "", []),
        lambda museum: museum.put_object("map", ["four"]),
    ],
    "both collections": [
        lambda museum: museum.withdraw("shelf"),
        lambda museum: museum.withdraw("box"),
    ],
    "the inner collection and its place": [
        lambda museum: museum.withdraw("box"),
        lambda museum: put(museum, "", []),
    ],
    "the place of a renamed collection and its list": [
        lambda museum: museum.rename("box", "rack"),
        lambda museum: put(museum, "", []),
        lambda museum: put(museum, "", [], "rack"),
    ],
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("leaves", TWICE)
def test_what_leaves_in_two_steps_while_a_rule_is_on_the_way_is_closed(
    museum: Museum, leaves: str, seed: int
) -> None:
    is_nested = "object" not in leaves
    put(museum, "", name="box")
    put(museum, "", ["box"] if is_nested else OBJECTS)
    museum.deliver_some(seed, everything=True)
    museum.set_rule("shelf", "closed")
    for leave in TWICE[leaves]:
        leave(museum)
    museum.deliver_some(seed, everything=True)
    assert settle(museum) == ["closed"] * 3


def test_images_that_left_get_their_rules_some_at_a_time(museum: Museum) -> None:
    """A message that did not end in time comes further when it comes again."""
    names = [f"page {number}" for number in range(6)]
    museum.put_object("pages", names)
    put(museum, "small:2000", ["letter", "pages"])
    settle(museum)
    museum.set_rule("shelf", "closed")
    museum.crash("shelf", ["letter"], "", 0, is_repeated=False)
    museum.set_rule("shelf", "small:1000")
    find, closed = InheritedRules._holders_of_image, []
    with patch.object(concerned_members, "BATCH", 2):
        for _ in range(3):
            # Time is over when a third image is looked up.
            first_two = iter(range(2))

            def look_up(
                rules: InheritedRules, *arguments: Any, first_two: Any = first_two
            ) -> Holders:
                if next(first_two, None) is None:
                    raise TimeoutError
                return find(rules, *arguments)

            with patch.object(InheritedRules, "_holders_of_image", look_up), suppress(TimeoutError):
                museum.bench.publisher.rules.update("shelf", 1, "", lambda: True)
            closed.append([museum.access(name) for name in names].count("closed"))
    assert closed == [2, 4, 6]


def test_what_left_with_its_rule_costs_no_write(museum: Museum) -> None:
    put(museum, "closed")
    settle(museum)
    with patch.object(Register, "change", side_effect=AssertionError):
        put(museum, "", ["book"])
        museum.withdraw("shelf")
        settle(museum)


def test_what_left_a_collection_that_is_closed_again_while_it_opens_is_closed(
    museum: Museum,
) -> None:
    put(museum, "closed")
    settle(museum)
    change = InheritedRules._change

    def change_late(*arguments: Any) -> bool:
        with patch.object(InheritedRules, "_change", change):
            museum.set_rule("shelf", "closed")
            settle(museum)
            put(museum, "", [])
        return change(*arguments)

    with patch.object(InheritedRules, "_change", change_late):
        museum.set_rule("shelf", "open")
    assert settle(museum) == ["closed"] * 3


def test_a_collection_that_comes_back_meanwhile_decides(museum: Museum) -> None:
    put(museum, "closed")
    museum.set_rule("shelf", "open")
    museum.withdraw("shelf")
    rules = museum.bench.publisher.rules
    change = inherited_rules.InheritedRules._apply_to_left

    def busy(*arguments: Any, **named: Any) -> bool:
        with patch.object(inherited_rules.InheritedRules, "_apply_to_left", change):
            put(museum, "closed")
            settle(museum)
        return change(*arguments, **named)

    museum.bench.events.events.clear()
    with patch.object(inherited_rules.InheritedRules, "_apply_to_left", busy):
        rest = rules.update("shelf", 1, "", lambda: True)
    assert rest
    assert rest.after == "", "the same again"
    assert rules.update(rest.identifier, rest.since, rest.after, lambda: True) is None
    assert settle(museum) == ["closed"] * 3
