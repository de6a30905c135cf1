"""The publisher publishes again what shows images of a collection whose rule has changed."""

import json
from collections.abc import Iterator

import msgspec
import pytest

from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.deliver.deliver_records import live
from tests.unit.lambdas.lambda_functions import Functions, batch
from vitrine.catalogue.objects import Objects
from vitrine.iiif.presentation.model import Canvas
from vitrine.ingest.publish.curation import Curation
from vitrine.store.publications import Published, Waiting


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Functions]:
    """Handlers over one set of memory adapters."""
    return Functions(monkeypatch)


def messages(functions: Functions, kind: str) -> list[str]:
    """The messages of one kind, in their order."""
    sent = functions.services.events.events
    return [
        json.dumps({"detail-type": name, "detail": detail}) for name, detail in sent if name == kind
    ]


def image_changes(functions: Functions) -> list[str]:
    return messages(functions, "ImageChanged")


def test_a_collection_that_is_closed_takes_its_objects_off_the_web_and_back(
    functions: Functions,
) -> None:
    functions.services.register.change("a", lambda _: live("a"))
    objects = Objects(functions.publisher)
    objects.put(book(canvases=(Canvas(image="a"),)))
    objects.put(shelf())
    for rule, state in {"closed": Waiting, "open": Published}.items():
        functions.services.events.events.clear()
        objects.put(msgspec.structs.replace(shelf(), access=rule))
        sent = messages(functions, "RulesChanged")
        # Out of order, and one of them twice.
        done = functions("publish_objects", batch(*sent[::-1], sent[0]))
        assert done == {"batchItemFailures": []}
        published = functions.publisher.published("book")
        assert published
        assert isinstance(published.publication, state)
        shown = {
            one["identifier"]
            for name, one in functions.services.events.events
            if name == "ImagePublished"
        }
        assert shown == {"a"}, "so that the first page follows"


def test_without_time_the_rest_is_announced(functions: Functions) -> None:
    names = [f"image-{number:03}" for number in range(3)]
    for name in names:
        functions.services.register.change(name, lambda _, name=name: live(name))
    objects = Objects(functions.publisher)
    objects.put(book(canvases=tuple(Canvas(image=name) for name in names)))
    objects.put(msgspec.structs.replace(shelf(), access="closed"))
    [*_, event] = messages(functions, "RulesChanged")
    functions.services.events.events.clear()
    functions("publish_objects", batch(event), milliseconds=100_000)
    sent = functions.services.events.events
    [rest] = [detail for name, detail in sent if name == "PagesOutdated"]
    assert (rest["pages"], rest["after"]) == ("documents", "")


def test_lists_leave_out_an_object_whose_images_are_closed_before_they_are_uploaded(
    functions: Functions,
) -> None:
    objects = Objects(functions.publisher)
    objects.put(book(canvases=(Canvas(image="a"),), page_before_images=True))
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
    *_, event = image_changes(functions)
    functions("publish_objects", batch(event))
    [*_, event] = messages(functions, "ObjectChanged")
    functions("publish_objects", batch(event))
    after = functions.publisher.publish("shelf")
    assert before
    assert after
    assert not after.made, "the events had it written"
    assert before.publication != after.publication
