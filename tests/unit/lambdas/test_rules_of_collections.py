"""The publisher gives images the rules of their collections, by what is announced."""

import json
from collections.abc import Iterator
from datetime import timedelta
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.lambdas.lambda_functions import Functions, batch
from vitrine.catalogue.inherited_rules import InheritedRules
from vitrine.catalogue.objects import Objects
from vitrine.events import RulesOutdated
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.rule_changes import REDELIVERED_WITHIN, REPEATED_WITHIN
from vitrine.iiif.presentation.model import Canvas
from vitrine.ingest.publish.curation import Curation


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Functions]:
    """Handlers over one set of memory adapters."""
    return Functions(monkeypatch)


def image_changes(functions: Functions) -> list[str]:
    """The messages about identifiers that changed, in their order."""
    sent = functions.services.events.events
    changed = [detail for name, detail in sent if name == "ImageChanged"]
    return [json.dumps({"detail-type": "ImageChanged", "detail": one}) for one in changed]


def test_an_identifier_that_is_no_redirect_any_more_has_its_collections_rule(
    functions: Functions,
) -> None:
    redirects = Redirects(functions.services.register)
    curation = Curation(
        register=functions.services.register,
        masters=functions.services.masters,
        outcomes=functions.services.outcomes,
    )
    curation.set_access("b", "open")
    redirects.add("a", "b", allow_dangling=True)
    objects = Objects(functions.publisher)
    objects.put(book(canvases=(Canvas(image="a"),)))
    objects.put(msgspec.structs.replace(shelf(), access="closed"))
    redirects.remove("a")
    before = functions.publisher.identifiers.get("a")
    assert before
    assert before.access == ""
    [*_, event] = image_changes(functions)
    assert functions("publish_objects", batch(event)) == {"batchItemFailures": []}
    after = functions.publisher.identifiers.get("a")
    assert after
    assert (after.access, after.inherits) == ("closed", True)


def test_names_that_wait_for_their_images_cost_no_look_at_what_names_them(
    functions: Functions,
) -> None:
    objects, names = Objects(functions.publisher), [f"page-{number}" for number in range(5)]
    objects.put(book(canvases=tuple(Canvas(image=name) for name in names)))
    for rule in ("closed", "open"):
        objects.put(msgspec.structs.replace(shelf(), access=rule))
    changes = image_changes(functions)
    shown = [*names, "one"]
    assert len(changes) == 2 * len(shown), "they have their first rule, and then another one"
    with patch.object(InheritedRules, "_holders_of_image") as look:
        assert functions("publish_objects", batch(*changes)) == {"batchItemFailures": []}
    assert not look.called


def test_what_is_announced_twice_in_a_batch_is_done_once(functions: Functions) -> None:
    sent = [
        {"detail-type": "RulesOutdated", "detail": {"identifier": "shelf", "since": since}}
        for since in (1, 1, 2)
    ]
    with patch.object(InheritedRules, "follow") as follow:
        functions("publish_objects", batch(*map(json.dumps, sent)))
    assert [call.args[0].since for call in follow.call_args_list] == [1, 2]


def test_lists_leave_out_an_object_whose_images_are_closed_before_they_are_uploaded(
    functions: Functions,
) -> None:
    objects = Objects(functions.publisher)
    objects.put(book(canvases=(Canvas(image="a"),)))
    item = shelf()
    members = tuple(msgspec.structs.replace(one, image="") for one in item.members)
    objects.put(msgspec.structs.replace(item, members=members))
    before = functions.publisher.publish("shelf")
    curation = Curation(
        register=functions.services.register,
        masters=functions.services.masters,
        outcomes=functions.services.outcomes,
    )
    curation.set_access("a", "closed")
    [event] = image_changes(functions)
    assert json.loads(event)["detail"]["revision"] == 1
    functions("publish_objects", batch(event))
    after = functions.publisher.publish("shelf")
    assert before
    assert after
    assert not after.made, "the event had it written"
    assert before.publication != after.publication


def test_images_have_the_rules_of_their_collection_in_slices(functions: Functions) -> None:
    patient = Objects(functions.publisher, sets_rules=False)
    patient.put(book(canvases=(Canvas(image="a"),)))
    patient.put(msgspec.structs.replace(shelf(), access="closed"))
    sent, table = functions.services.events.events, functions.publisher.identifiers
    outdated, *_ = [detail for name, detail in sent if name == "RulesOutdated"]
    event = batch(json.dumps({"detail-type": "RulesOutdated", "detail": outdated}))
    sent.clear()
    with patch.object(InheritedRules, "update") as update:
        done = functions("publish_objects", event, milliseconds=100_000)
    assert done == {"batchItemFailures": []}
    assert not update.called, "nothing is read without time"
    assert sent == [("RulesOutdated", outdated)]
    assert table.get("a") is None
    assert functions("publish_objects", event) == {"batchItemFailures": []}
    record = table.get("a")
    assert record
    assert record.access == "closed"


@pytest.mark.parametrize(("receives", "within"), [(1, REPEATED_WITHIN), (2, REDELIVERED_WITHIN)])
def test_what_a_message_may_have_done_hours_ago_is_announced_again_if_it_was_delivered_before(
    functions: Functions, receives: int, within: timedelta
) -> None:
    outdated = RulesOutdated(identifier="shelf", since=0)
    event = json.dumps({"detail-type": outdated.name(), "detail": outdated.detail()})
    seen = []

    def follow(rules: InheritedRules, *_: object) -> None:
        seen.append(rules.repeated_within)

    with patch.object(InheritedRules, "follow", follow):
        functions("publish_objects", batch(event, receives=receives))
    assert seen == [within]
