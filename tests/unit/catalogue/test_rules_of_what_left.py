"""What leaves a collection keeps the rule that it had there, also if images were yet to get it."""

from collections.abc import Callable, Iterator

import pytest

from tests.unit.catalogue.rules_museum import Museum
from tests.unit.catalogue.rules_world import run_world
from tests.unit.catalogue.three_objects import OBJECTS, put, run_museum, settle

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


def test_what_left_an_open_collection_stays_open(museum: Museum) -> None:
    put(museum, "closed")
    museum.set_rule("shelf", "open")
    museum.withdraw("shelf")
    assert settle(museum) == ["open"] * 3
    put(museum, "closed", ["book"])
    assert settle(museum) == ["closed", "open", "open"], "it lists the others no more"


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
    assert settle(museum) == ["open", "open", "small:1000"]


@pytest.mark.parametrize("kept", ["rack", "shelf"])
def test_a_collection_listed_by_two_names_leaves_with_the_last(museum: Museum, kept: str) -> None:
    put(museum, "")
    put(museum, "", ["rack", "shelf"], "box")
    museum.rename("shelf", "rack")
    put(museum, "closed", [kept], "box")
    assert settle(museum) == ["closed"] * 3
    museum.set_rule("box", "open")
    put(museum, "open", [], "box")
    museum.set_rule("box", "closed")
    assert settle(museum) == ["open"] * 3


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


def test_an_older_export_closes_at_once_what_its_lists_had() -> None:
    """What left is in a collection that was renamed since; `import_` looks at all images."""
    with run_world() as world:
        world.publish_table("rack", "letter", ["two"], "", "")
        world.put_collection("box", ["one", "shelf", "rack"], "closed", [])
        world.export()
        world.set_rule("box", "open")
        world.put_collection("box", ["one"], "open", ["one"])
        world.rename("rack", "shelf")
        world.import_(is_stopped=True)
        world.import_(is_stopped=False)
        world.check()


def test_an_export_in_the_middle_of_a_table_closes_its_images_elsewhere() -> None:
    with run_world() as world:
        world.begin_table("shelf", "letter", ["two", "one"], "open", "closed")
        world.put_collection("shelf", [], "closed", [])
        world.export()
        world.move()
        world.import_(is_stopped=False)
        world.check()
