"""What a redirect leads to has the rules of the collections that its previous identifier is in."""

import pytest

from tests.unit.deliver.deliver_records import live
from tests.unit.present.objects.object_bench import ObjectBench, book
from vitrine.identify.changes import inherit_access, set_redirect
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import RedirectRow
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Redirect

AT = "2026-11-26T10:00:00Z"


@pytest.fixture
def bench() -> ObjectBench:
    """A closed collection of an object that shows `old`, which is yet to come, and `one`."""
    bench = ObjectBench("one", "two")
    bench.objects.put(book("letter", canvases=(Canvas(image="old"), Canvas(image="one"))))
    put_shelf(bench, "closed")
    bench.events.events.clear()
    return bench


def put_shelf(bench: ObjectBench, rule: str) -> None:
    member = Member(identifier="letter", label={"en": ("A letter",)})
    shelf = ObjectCollection(
        identifier="shelf", label={"en": ("A shelf",)}, members=(member,), access=rule
    )
    bench.objects.put(shelf)


def register_of(bench: ObjectBench) -> Register:
    return Register(bench.identifiers, Journal(bench.records), bench.events)


def access(bench: ObjectBench, image: str) -> str:
    record = bench.identifiers.get(image)
    return record.access if record else ""


def test_what_is_uploaded_behind_a_redirect_is_closed(bench: ObjectBench) -> None:
    Redirects(register_of(bench)).add("old", "new", allow_dangling=True)
    register_of(bench).change("new", lambda current: live("new", 80, 60))
    assert access(bench, "new") == "closed"


def test_an_image_that_takes_anothers_place_is_closed_at_once(bench: ObjectBench) -> None:
    Redirects(register_of(bench)).add("one", "two", replace_live=True)
    assert access(bench, "two") == "closed"
    sent = [(name, detail["identifier"]) for name, detail in bench.events.events]
    assert ("ImagePublished", "two") in sent


@pytest.mark.parametrize("most", [0, 1_000])
def test_so_is_what_imported_redirects_lead_to(
    bench: ObjectBench, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.identify.redirects.bulk_import.SMALL_IMPORT", most)
    redirects, options = Redirects(register_of(bench)), ImportOptions(replace_live=True)
    with open_import_plan() as plan, Workers() as workers:
        plan_import(redirects, plan, [RedirectRow(1, "one", "two", "")], options, workers)
        write_import(redirects, plan, options, workers)
    assert access(bench, "two") == "closed"


def test_a_redirects_rule_of_long_ago_does_not_take_the_place_of_todays(
    bench: ObjectBench,
) -> None:
    register = register_of(bench)
    register.change("one", inherit_access("one", {"shelf": "small:1000"}, AT))
    register.change("two", inherit_access("two", {"shelf": "closed"}, AT))
    Redirects(register).add("one", "two", replace_live=True)
    assert access(bench, "two") == "closed"


def test_what_died_after_a_redirect_was_written_is_made_up_for(bench: ObjectBench) -> None:
    redirect = Redirect(identifier="one", target="two", changed_at=AT)
    register_of(bench).change("one", set_redirect(redirect, replace_live=True))
    assert access(bench, "two") == ""
    bench.publisher.rules.renew("one")
    assert access(bench, "two") == "closed"


def test_a_removed_redirect_has_the_rule_that_was_set_meanwhile(bench: ObjectBench) -> None:
    put_shelf(bench, "open")
    redirects = Redirects(register_of(bench))
    redirects.add("old", "two")
    put_shelf(bench, "closed")
    assert access(bench, "two") == "closed"
    redirects.remove("old")
    assert access(bench, "old") == "open"
    bench.publisher.rules.renew("old")
    assert access(bench, "old") == "closed"


def test_a_rule_of_its_own_stays(bench: ObjectBench) -> None:
    register = register_of(bench)
    register.change("two", lambda current: live("two", 80, 60, access="open"))
    Redirects(register).add("one", "two", replace_live=True)
    bench.publisher.rules.renew("one")
    assert access(bench, "two") == "open"
