"""A member that is a collection has the rule, whether a list says that it is one or not."""

from unittest.mock import patch

import pytest

from tests.unit.catalogue.rules_museum import Museum
from vitrine.catalogue.objects import Objects
from vitrine.iiif.presentation.model import Member, ObjectCollection


@pytest.fixture
def museum() -> Museum:
    """A box of a book that shows `one`."""
    museum = Museum()
    museum.put_object("book", ["one"])
    put(museum, "box", "book")
    return museum


def put(
    museum: Museum, name: str, *members: str, rule: str = "", marked: tuple[str, ...] = ()
) -> None:
    """Put a collection that says of none but the `marked` ones that they are collections."""
    listed = tuple(
        Member(identifier=one, label={"en": (one,)}, is_collection=one in marked) for one in members
    )
    item = ObjectCollection(identifier=name, label={"en": (name,)}, members=listed, access=rule)
    museum.bench.objects.put(item)
    museum.deliver_some(1, everything=True)


def test_what_is_in_it_has_the_rule_of_the_list(museum: Museum) -> None:
    put(museum, "shelf", "box", rule="closed")
    assert museum.access("one") == "closed"
    put(museum, "shelf", "box", rule="open")
    assert museum.access("one") == "open"


def test_so_has_what_is_in_a_renamed_one_further_below(museum: Museum) -> None:
    put(museum, "rack", "box")
    put(museum, "shelf", "rack", marked=("rack",))
    museum.bench.objects.rename("box", "case")
    put(museum, "shelf", "rack", rule="closed", marked=("rack",))
    assert museum.access("one") == "closed"


def test_lists_in_each_other_end(museum: Museum) -> None:
    """Two processes may write them at the same moment."""
    with patch.object(Objects, "refuse_cycle"):
        put(museum, "shelf", "box", "shelf")
        put(museum, "box", "shelf", "book")
        put(museum, "shelf", "box", "shelf", rule="closed")
    assert museum.access("one") == "closed"
