"""What a redirect leads to has the rules of the collections that its previous identifier is in."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book
from tests.unit.catalogue.rules_museum import Museum, failing_after
from tests.unit.deliver.deliver_records import live
from tests.unit.ingest.followed_masters import publish_upload
from vitrine.errors import IdentifierRefused, RevisionChanged, TransientError
from vitrine.events import ImageChanged
from vitrine.identify.changes import set_redirect
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.bulk import Workers
from vitrine.identify.redirects.bulk_import import ImportOptions, plan_import, write_import
from vitrine.identify.redirects.csv_file import RedirectRow
from vitrine.identify.redirects.import_plan import open_import_plan
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection
from vitrine.records import Live, Redirect

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
    record = bench.publisher.shown.get(image)
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


def test_what_died_after_a_redirect_was_written_is_made_up_for(bench: ObjectBench) -> None:
    redirect = Redirect(identifier="one", target="two", changed_at=AT)
    register_of(bench).change("one", set_redirect(redirect, replace_live=True))
    assert access(bench, "two") == ""
    Redirects(register_of(bench)).add("one", "two", replace_live=True)
    assert access(bench, "two") == "closed"


def test_a_removed_redirect_has_the_rule_that_was_set_meanwhile(bench: ObjectBench) -> None:
    put_shelf(bench, "open")
    redirects = Redirects(register_of(bench))
    redirects.add("old", "two")
    put_shelf(bench, "closed")
    assert access(bench, "two") == "closed"
    redirects.remove("old")
    assert access(bench, "old") == "closed"


def test_a_rule_of_its_own_stays(bench: ObjectBench) -> None:
    register = register_of(bench)
    register.change("two", lambda current: live("two", 80, 60, access="open"))
    Redirects(register).add("one", "two", replace_live=True)
    Redirects(register_of(bench)).add("one", "two", replace_live=True)
    assert access(bench, "two") == "open"


@pytest.mark.parametrize(
    ("before", "now"), [("open", "closed"), ("", "closed"), ("closed", "open")]
)
def test_an_upload_in_a_redirects_place_has_the_rule_that_was_set_meanwhile(
    before: str, now: str
) -> None:
    museum = Museum()
    museum.put_object("letter", ["old"])
    museum.put_collection("shelf", ["letter"], before)
    museum.add_redirect("old", "two")
    museum.deliver_some(0, everything=True)
    museum.set_rule("shelf", now)
    museum.deliver_some(0, everything=True)
    museum.replace_redirect("old")
    museum.deliver_some(0, everything=True)
    assert isinstance(museum.bench.identifiers.get("old"), Live)
    assert museum.access("old") == now


@pytest.mark.parametrize("fails", ["identifiers.write", "events.publish"])
@pytest.mark.parametrize("over", [None, 2])
def test_a_removal_that_was_interrupted_is_announced_when_it_is_repeated(
    fails: str, over: int | None
) -> None:
    museum = Museum()
    museum.put_object("letter", ["old"])
    museum.put_collection("shelf", ["letter"], "small:1000")
    museum.add_redirect("old", "two")
    museum.set_rule("shelf", "closed")
    museum.deliver_some(0, everything=True)
    redirects = Redirects(museum.curation.register)
    port, name = fails.split(".")
    with failing_after(getattr(museum.bench, port), name, 0), pytest.raises(TransientError):
        redirects.remove("old", over=over)
    with suppress(RevisionChanged, IdentifierRefused):
        redirects.remove("old", over=over)
    museum.deliver_some(0, everything=True)
    assert museum.access("old") == "closed"


def test_a_removal_that_is_refused_announces_nothing_of_an_image(bench: ObjectBench) -> None:
    with pytest.raises(IdentifierRefused, match="not a redirect"):
        Redirects(register_of(bench)).remove("two")
    assert bench.events.events == []


@pytest.mark.parametrize("lost", ["one", "old", "two"])
def test_a_redirect_in_a_chain_that_was_interrupted_closes_what_it_leads_to(lost: str) -> None:
    museum = Museum()
    museum.put_object("letter", ["old"])
    museum.add_redirect("old", "one")
    museum.put_collection("shelf", ["letter"], "closed")
    museum.deliver_some(0, everything=True)
    publish = museum.bench.events.publish

    def lose(name: str, detail: Mapping[str, Any]) -> None:
        if name == ImageChanged.name() and detail["identifier"] == lost:
            raise TransientError(lost)
        publish(name, detail)

    with patch.object(museum.bench.events, "publish", lose), pytest.raises(TransientError):
        museum.add_redirect("one", "two")
    museum.add_redirect("one", "two")
    museum.deliver_some(0, everything=True)
    assert museum.access("two") == "closed"


@pytest.mark.parametrize("then", ["", "upload", "remove"])
def test_what_takes_a_redirects_place_is_closed_although_its_event_is_lost(then: str) -> None:
    museum = Museum()
    museum.put_object("letter", ["old"])
    museum.put_collection("shelf", ["letter"], "closed")
    museum.set_rule("shelf", "open")
    museum.deliver_some(0, everything=True)
    museum.add_redirect("old", "two")
    museum.set_rule("shelf", "closed")
    museum.deliver_some(0, everything=True)
    record = museum.bench.identifiers.get("old")
    assert record
    key = f"old-{record.revision}.tif"
    replace = museum.remove_redirect if then == "remove" else museum.replace_redirect
    with failing_after(museum.bench.events, "publish", 0), pytest.raises(TransientError):
        replace("old")
    if then:
        museum.upload("old")
    else:
        publish_upload(museum.services, key, "old")  # the step again
    museum.deliver_some(0, everything=True)
    assert isinstance(museum.bench.identifiers.get("old"), Live)
    assert museum.access("old") == "closed"
