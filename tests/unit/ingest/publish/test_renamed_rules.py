"""A renamed image is seen by nobody who could not see it before, whatever its new name was."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ingest.crashes import Crash
from tests.unit.ingest.publish.curated_museum import CuratedMuseum
from vitrine.access.collection_rules import CollectionRules
from vitrine.access.rules import combine_rules
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.identify.access_changes import leave_collections, set_access
from vitrine.identify.effective_rule import effective
from vitrine.records import Live, Record, Redirect

AT = "2026-11-25T08:00:00.000Z"
KEY = "a/alpha.tif"
RULES = ["", "open", "small:1000", "small:500:staff", "staff", "curators", "closed", "<later>"]


@pytest.fixture
def museum() -> CuratedMuseum:
    museum = CuratedMuseum()
    museum.upload(KEY, b"1", "alpha", replacing=False)
    publish(museum, KEY)
    return museum


def publish(museum: CuratedMuseum, key: str = KEY, crash: Crash | None = None) -> None:
    museum.tick()
    museum.start(key)
    while museum.executions:
        museum.run(0, crash)
        crash = None
    while museum.withdrawals:
        museum.end_grace(0)


def rename(museum: CuratedMuseum, old: str, new: str, *, replacing: bool = False) -> None:
    museum.rename(old, new, replacing)
    publish(museum)


def close(museum: CuratedMuseum, name: str, rule: str = "closed") -> None:
    museum.services.register.change(name, set_access(name, rule, AT))


def live_rule(museum: CuratedMuseum, name: str) -> str:
    record = museum.record(name)
    assert isinstance(record, Live)
    return effective(record, CollectionRules())


def test_a_closed_image_that_gets_an_earlier_name_back_stays_closed(museum: CuratedMuseum) -> None:
    close(museum, "alpha", "open")
    rename(museum, "alpha", "beta")
    close(museum, "beta")
    rename(museum, "beta", "alpha")
    assert live_rule(museum, "alpha") == "closed"


def test_a_closed_image_that_replaces_a_withdrawn_open_one_stays_closed(
    museum: CuratedMuseum,
) -> None:
    museum.upload("beta.tif", b"2", "beta", replacing=False)
    publish(museum, "beta.tif")
    close(museum, "beta", "open")
    museum.withdraw("beta", "Rights.")
    close(museum, "alpha")
    rename(museum, "alpha", "beta", replacing=True)
    assert live_rule(museum, "beta") == "closed"


def test_a_name_that_was_closed_first_closes_the_image_that_gets_it(museum: CuratedMuseum) -> None:
    close(museum, "alpha", "open")
    close(museum, "beta")
    rename(museum, "alpha", "beta")
    assert live_rule(museum, "beta") == "closed"


def test_an_image_that_a_collection_closed_stays_closed_under_a_name_that_was_opened(
    museum: CuratedMuseum,
) -> None:
    museum.services.register.change("alpha", leave_collections((), {"shelf": "closed"}))
    close(museum, "beta", "open")
    rename(museum, "alpha", "beta")
    assert live_rule(museum, "beta") == "closed"
    rename(museum, "beta", "alpha")
    assert live_rule(museum, "alpha") == "closed"


def test_a_renamed_image_that_is_opened_stays_open_with_its_next_version(
    museum: CuratedMuseum,
) -> None:
    close(museum, "alpha")
    rename(museum, "alpha", "beta")
    close(museum, "beta", "open")
    museum.upload(KEY, b"2", "beta", replacing=False)
    publish(museum)
    assert live_rule(museum, "beta") == "open"


class ClosingTable(MemoryIdentifierTable):
    """Somebody closes `alpha` once, before its record is read for the n-th time from now."""

    def __init__(self) -> None:
        super().__init__()
        self.museum: CuratedMuseum | None = None
        self.left = 0

    def get(self, identifier: str) -> Record | None:
        museum = self.museum
        if museum and identifier == "alpha":
            self.left -= 1
            if self.left < 0:
                self.museum = None
                record = super().get("alpha")
                if isinstance(record, Redirect):  # the command says so: nothing was promised
                    return record
                close(museum, "alpha")
        return super().get(identifier)


@pytest.mark.parametrize("reads", range(12))
def test_an_image_that_is_closed_while_it_is_renamed_is_closed(reads: int) -> None:
    museum = CuratedMuseum()
    table = ClosingTable()
    museum.services = replace(museum.services, identifiers=table)
    museum.upload(KEY, b"1", "alpha", replacing=False)
    publish(museum)
    museum.rename("alpha", "beta", replacing=False)
    table.museum, table.left = museum, reads
    publish(museum)
    old = museum.record("alpha")
    assert isinstance(old, Redirect)
    assert combine_rules(live_rule(museum, "beta"), old.access) == live_rule(museum, "beta")


@given(first=st.sampled_from(RULES), second=st.sampled_from(RULES))
def test_two_rules_together_do_not_depend_on_their_order(first: str, second: str) -> None:
    assert combine_rules(first, second) == combine_rules(second, first)
