"""The publisher gives images the rules of their collections, by what is announced."""

import json
from collections.abc import Iterator
from unittest.mock import patch

import msgspec
import pytest

from tests.unit.lambdas.lambda_functions import Functions, batch
from tests.unit.present.objects.object_bench import book, shelf
from vitrine.identify.redirects.redirects import Redirects
from vitrine.iiif.presentation.model import Canvas
from vitrine.ingest.publish.curation import Curation
from vitrine.present.objects.inherited_rules import InheritedRules
from vitrine.present.objects.objects import Objects


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
