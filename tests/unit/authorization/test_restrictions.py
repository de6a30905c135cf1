"""A probe knows what the record of an image shows, of redirects and small images too."""

import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.access.collection_rules import CollectionRule, CollectionRules
from vitrine.access.rules import INHERITED
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.authorization.restrictions import RecordedRestrictions
from vitrine.authorization.services import Restricted
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.records import Gone, Record, Redirect

CHANGED = "2026-11-25T00:00:00Z"


def find(rule: str, *more: Record, name: str = "a") -> Restricted | None:
    """Return what is found of an image with this rule, and of one in a collection that has it."""
    ruled = CollectionRules(1, {"shelf": CollectionRule(rule=rule)})
    images = live("a", access=rule), live("a", access=INHERITED, collections=("shelf",))
    own, of_collection = (
        RecordedRestrictions(
            ShownIdentifiers(MemoryIdentifierTable(image, *more), lambda: ruled)
        ).find(name)
        for image in images
    )
    assert own == of_collection
    return own


@pytest.mark.parametrize(
    ("rule", "shows", "right"),
    [
        ("", "everything", ""),
        ("open", "everything", ""),
        ("closed", "nothing", ""),
        ("of a later version", "nothing", ""),
        ("staff", "nothing", "staff"),
        ("small:700", "small", ""),
        ("small:700:staff", "small", "staff"),
    ],
)
def test_a_rule_says_what_everybody_sees_and_who_sees_all(
    rule: str, shows: str, right: str
) -> None:
    found = find(rule)
    assert found
    assert (found.identifier, found.shows, found.right) == ("a", shows, right)


def test_an_image_that_is_not_stored_that_small_is_not_offered_small() -> None:
    image = live("big", levels=((1300, 1000),), access="small:700:staff")
    found = RecordedRestrictions(MemoryIdentifierTable(image)).find("big")
    assert found
    assert (found.shows, found.right) == ("nothing", "staff")


def test_a_redirect_leads_to_the_rule_of_its_target_and_a_gone_image_has_none() -> None:
    redirect = Redirect(identifier="old", target="a", changed_at=CHANGED)
    found = find("staff", redirect, name="old")
    assert found
    assert (found.identifier, found.right) == ("a", "staff")
    gone = Gone(identifier="gone", reason="Rights.", changed_at=CHANGED)
    assert find("staff", gone, name="gone") is None
    assert find("staff", name="nothing") is None
