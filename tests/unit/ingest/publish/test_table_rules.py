"""A table says who may see its images: before they are uploaded, and whenever it changes."""

import itertools
from collections.abc import Callable
from functools import reduce

import pytest

from tests.unit.catalogue.object_bench import ImpatientWorkers, losing
from tests.unit.ingest.publish.curated_museum import CuratedMuseum
from vitrine.access.collection_rules import CollectionRule
from vitrine.access.rules import combine_rules
from vitrine.errors import IdentifierRefused, TransientError
from vitrine.identify.access_changes import forget_own_rule, join_collections, set_access
from vitrine.identify.effective_rule import effective
from vitrine.identify.redirects.bulk import BATCH
from vitrine.identify.resolve import MAX_CHAIN_LENGTH
from vitrine.ingest.publish import table_rules
from vitrine.ingest.publish.table_rules import RulesSet, TableRules, set_rules
from vitrine.records import Live, Redirect
from vitrine.store.collection_rules import HeldRules

AT = "2026-11-26T10:00:00Z"
LATER = "on-mondays:staff"
"""A rule that this version cannot read."""


@pytest.fixture
def museum() -> CuratedMuseum:
    return CuratedMuseum()


def publish(museum: CuratedMuseum, key: str, name: str) -> Live:
    museum.tick()
    museum.upload(key, b"1", name, replacing=False)
    museum.start(key)
    museum.run_all()
    record = museum.record(name)
    assert isinstance(record, Live)
    return record


def publish_renamed(museum: CuratedMuseum) -> None:
    """Publish an image as `alpha`, which is called `gamma` then."""
    publish(museum, "a/alpha.tif", "alpha")
    museum.tick()
    museum.rename("alpha", "gamma", replacing=False)
    museum.start("a/alpha.tif")
    museum.run_all()


def say(museum: CuratedMuseum, rules: dict[str, str]) -> RulesSet:
    """Set rules that rows say."""
    table = TableRules()
    for image, rule in rules.items():
        table.add(image, rule)
    return set_rules(museum.curation(), table, held(museum), lambda: True)


def held(museum: CuratedMuseum) -> HeldRules:
    return HeldRules(museum.services.records)


def put_under(museum: CuratedMuseum, rule: str, *images: str) -> None:
    """Let the table's collection have a rule, and these images be in it."""
    held(museum).change(lambda rules: {"table": CollectionRule(rule=rule)})
    for image in images:
        museum.services.register.change(
            image, join_collections(image, {"table"}, AT, rules_version=1)
        )


def say_default(
    museum: CuratedMuseum, rule: str, *images: str, holds: Callable[[], bool] | None = None
) -> RulesSet:
    """Set the rule that a table says of all images whose row says none."""
    if holds is None:
        put_under(museum, rule, *images)
    table = TableRules(default=rule, decides=True)
    for image in images:
        table.add(image, "")
    return set_rules(museum.curation(), table, held(museum), holds or (lambda: True))


def rule_of(museum: CuratedMuseum, name: str) -> str:
    record = museum.record(name)
    return effective(record, held(museum)()) if record else ""


def test_an_image_is_published_under_the_rule_that_was_set_before(museum: CuratedMuseum) -> None:
    assert say(museum, {"alpha": "closed", "beta": "small:1000"}).changed == 2
    assert publish(museum, "a/alpha.tif", "alpha").access == "closed"
    assert publish(museum, "beta.tif", "beta").access == "small:1000"


def test_the_same_table_again_changes_nothing(museum: CuratedMuseum) -> None:
    publish(museum, "beta.tif", "beta")
    assert say(museum, {"beta": "staff"}).changed == 1
    revisions = len(museum.services.register.journal.history("beta"))
    assert say(museum, {"beta": "staff"}).changed == 0
    assert len(museum.services.register.journal.history("beta")) == revisions
    assert say(museum, {"beta": "open"}).changed == 1
    assert rule_of(museum, "beta") == "open"


@pytest.mark.parametrize("lost", ["ImageChanged", "ImagePublished"])
def test_what_failed_to_be_announced_is_announced_by_the_same_table(
    museum: CuratedMuseum, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """Else the edge keeps the open tiles of an image that is restricted."""
    publish(museum, "beta.tif", "beta")
    events = museum.services.events
    monkeypatch.setattr(table_rules, "Workers", ImpatientWorkers)
    with losing(events, lost):
        say(museum, {"beta": "staff"})
    assert rule_of(museum, "beta") == "", "it is announced before it is written"
    before = len(events.events)
    assert say(museum, {"beta": "staff"}).changed == 1
    assert {name for name, _ in events.events[before:]} == {"ImageChanged", "ImagePublished"}


def test_a_change_is_announced_so_that_the_edge_forgets_the_image(museum: CuratedMuseum) -> None:
    publish(museum, "beta.tif", "beta")
    before = len(museum.services.events.events)
    say(museum, {"beta": "closed"})
    names = {name for name, _ in museum.services.events.events[before:]}
    assert {"ImageChanged", "ImagePublished"} <= names


def test_a_previous_identifier_leads_to_its_image(museum: CuratedMuseum) -> None:
    publish_renamed(museum)
    assert say(museum, {"alpha": "staff", "gamma": "small:1000:staff"}).changed == 1
    assert rule_of(museum, "gamma") == "staff"


def test_what_can_be_no_identifier_is_left_out(museum: CuratedMuseum) -> None:
    assert say(museum, {"a\x00b": "closed", "alpha": "closed"}).changed == 1


def test_no_table_opens_what_is_closed(museum: CuratedMuseum) -> None:
    publish(museum, "a/alpha.tif", "alpha")
    museum.curation().set_access("alpha", "closed")
    for rule in ("open", "small:1000", "staff"):
        done = say(museum, {"alpha": rule, "yet to come": rule})
        assert done.kept_closed == ("alpha",)
        assert rule_of(museum, "alpha") == "closed"
    museum.curation().set_access("alpha", "open")
    assert say(museum, {"alpha": "staff"}).kept_closed == ()
    assert rule_of(museum, "alpha") == "staff"


def test_the_rule_of_a_whole_table_is_its_collections(museum: CuratedMuseum) -> None:
    say_default(museum, "closed", "alpha", "beta")
    assert publish(museum, "a/alpha.tif", "alpha").collections == ("table",)
    assert rule_of(museum, "alpha") == "closed"
    say_default(museum, "small:1000", "alpha", "beta")
    assert (rule_of(museum, "alpha"), rule_of(museum, "beta")) == ("small:1000", "small:1000")


def test_a_table_with_a_rule_decides_what_was_said_before(museum: CuratedMuseum) -> None:
    publish(museum, "beta.tif", "beta")
    museum.curation().set_access("beta", "open")
    assert say_default(museum, "staff", "beta").changed == 1
    assert rule_of(museum, "beta") == "staff"
    museum.curation().set_access("beta", "closed")
    assert say_default(museum, "staff", "beta").kept_closed == ("beta",)
    assert say_default(museum, "closed", "beta").kept_closed == ()
    assert say_default(museum, "staff", "beta").kept_closed == ("beta",), "its own rule stayed"


def test_a_table_that_read_another_rule_ends_before_it_opens_anything(
    museum: CuratedMuseum,
) -> None:
    publish(museum, "beta.tif", "beta")
    say_default(museum, "closed", "beta")
    museum.curation().set_access("beta", "small:500")
    with pytest.raises(IdentifierRefused, match="run the same command again"):
        say_default(museum, "open", "beta", holds=lambda: False)
    museum.services.register.change("beta", forget_own_rule)
    assert rule_of(museum, "beta") == "closed"


def test_what_a_collection_closes_at_the_moment_of_the_write_stays_closed(
    museum: CuratedMuseum,
) -> None:
    publish(museum, "beta.tif", "beta")
    put_under(museum, "", "beta")
    table = TableRules()
    table.add("beta", "open")
    closes = iter([True])

    def close() -> bool:
        """The rule of the table holds when it is looked at; then the collection is closed."""
        if next(closes, False):
            put_under(museum, "closed")
        return True

    done = set_rules(museum.curation(), table, held(museum), close)
    assert (done.changed, done.kept_closed) == (0, ("beta",))
    assert rule_of(museum, "beta") == "closed"


def test_what_somebody_closes_for_itself_at_the_moment_of_the_write_is_named(
    museum: CuratedMuseum,
) -> None:
    publish(museum, "beta.tif", "beta")
    museum.curation().set_access("beta", "small:2000")

    def close() -> bool:
        museum.curation().set_access("beta", "closed")
        return True

    assert say_default(museum, "staff", "beta", holds=close).kept_closed == ("beta",)
    assert rule_of(museum, "beta") == "closed"


def test_images_that_go_on_being_changed_end_the_table(museum: CuratedMuseum) -> None:
    publish(museum, "beta.tif", "beta")
    museum.curation().set_access("beta", "small:2000")
    sizes = itertools.count(300)

    def change() -> bool:
        museum.curation().set_access("beta", f"small:{next(sizes)}")
        return True

    with pytest.raises(TransientError, match="try again"):
        say_default(museum, "staff", "beta", holds=change)


def test_what_two_objects_show_is_under_the_row_of_one_and_the_rule_of_the_table() -> None:
    table = TableRules(default="small:1000", decides=True)
    table.add("one", "")
    table.add("one", "small:1000:staff")
    table.add("two", "small:500")
    table.add("two", "")
    table.add("three", "open")
    assert table.own == {"one": "small:1000", "two": "small:500", "three": "open"}


@pytest.mark.parametrize("names", [("alpha", "gamma"), ("gamma", "alpha")])
def test_what_two_rows_show_by_two_names_is_under_both_rules(
    museum: CuratedMuseum, names: tuple[str, str]
) -> None:
    publish_renamed(museum)
    table = TableRules(default="closed", decides=True)
    for name, row in zip(names, ("", "open"), strict=True):
        table.add(name, row)
    put_under(museum, "closed", *names)
    set_rules(museum.curation(), table, held(museum), lambda: True)
    assert rule_of(museum, "gamma") == "closed"


def test_no_table_opens_what_a_later_version_restricted(museum: CuratedMuseum) -> None:
    publish(museum, "a/alpha.tif", "alpha")
    edit = set_access("alpha", LATER, "2026-11-26T10:00:00Z")
    museum.services.register.change("alpha", edit)
    assert say(museum, {"alpha": "open"}).kept_closed == ("alpha",)
    assert say_default(museum, "open", "alpha").kept_closed == ("alpha",)
    assert say_default(museum, "closed", "alpha").kept_closed == ()
    assert rule_of(museum, "alpha") == LATER


@pytest.mark.parametrize("names", [("alpha", "gamma"), ("gamma", "alpha")])
@pytest.mark.parametrize("rules", [("small:100", "staff"), ("staff", "open"), ("", "small:100")])
def test_rows_of_one_image_hold_together_however_far_apart_they_are(
    museum: CuratedMuseum, names: tuple[str, str], rules: tuple[str, str]
) -> None:
    """A table is read in batches, and rows by its previous name and by its own may be in two."""
    publish_renamed(museum)
    between = dict.fromkeys((f"image {number}" for number in range(BATCH)), "staff")
    say(museum, {names[0]: rules[0], **between, names[1]: rules[1]})
    assert rule_of(museum, "gamma") == reduce(combine_rules, filter(None, rules))


def test_a_rule_gets_as_far_as_a_reader_follows_redirects(museum: CuratedMuseum) -> None:
    publish(museum, "a/alpha.tif", "alpha")
    names = [*(f"chain {number}" for number in range(MAX_CHAIN_LENGTH)), "alpha"]
    for name, target in itertools.pairwise(names):
        redirect = Redirect(identifier=name, target=target, changed_at="2026-11-26T10:00:00Z")
        museum.services.register.change(name, lambda _, made=redirect: made)
    say(museum, {"chain 0": "closed"})
    assert rule_of(museum, "alpha") == "closed"


@pytest.mark.parametrize("last", ["chain 0", "alpha"])
def test_redirects_without_an_end_are_named(museum: CuratedMuseum, last: str) -> None:
    """A circle, and a chain that is too long."""
    publish(museum, "a/alpha.tif", "alpha")
    names = [*(f"chain {number}" for number in range(MAX_CHAIN_LENGTH + 1)), last]
    for name, target in itertools.pairwise(names):
        redirect = Redirect(identifier=name, target=target, changed_at="2026-11-26T10:00:00Z")
        museum.services.register.change(name, lambda _, made=redirect: made)
    with pytest.raises(IdentifierRefused, match='"chain 0" leads through') as refused:
        say(museum, {"chain 0": "closed"})
    assert refused.value.code == "redirect-endless"
    assert say(museum, {"chain 1": "closed"} if last == "alpha" else {"alpha": "closed"}).changed
