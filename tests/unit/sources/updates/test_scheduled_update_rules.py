"""An environment that updates a collection by itself opens nothing that somebody closed."""

from collections.abc import Iterator

import pytest

from tests.unit.catalogue.object_bench import IMAGES
from tests.unit.sources.harvest.oai_server import OaiServer, oai_server
from tests.unit.sources.updates.update_rig import Rig
from vitrine.catalogue.changes import shown_item
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.sources.updates.scheduled_update import INCOMPLETE

LONG_AGO = "2026-01-01T00:00:00Z"
TO_COME = "to-come"
"""An image that is yet to be uploaded."""
RULES = """
[collection]
identifier = "books"
label = "Books"
[source]
kind = "oai-pmh"
address = "{address}"
table = "records"
[object]
identifier = "book {{//title}}"
image = "{{//title}}"
label = "{{//title}}"
"""


@pytest.fixture
def source() -> Iterator[OaiServer]:
    with oai_server(OaiServer({"oai:m:one": ("one", LONG_AGO)})) as started:
        yield started


@pytest.fixture
def rig(source: OaiServer) -> Rig:
    rig = Rig(RULES.format(address=source.address))
    assert rig.tick().exit_code == 0
    return rig


def collection(rig: Rig) -> ObjectCollection:
    record = rig.bench.publisher.journal.latest("books")
    assert record
    item = shown_item(record)
    assert isinstance(item, ObjectCollection)
    return item


def close(rig: Rig) -> None:
    """Close the collection, as a curator does."""
    item = collection(rig)
    rig.bench.objects.put(
        ObjectCollection(
            identifier="books", label=item.label, members=item.members, access="closed"
        )
    )


def rule_of(rig: Rig, image: str) -> str:
    record = rig.bench.publisher.shown.get(image)
    return record.access if record else ""


@pytest.mark.parametrize("has_new_rules", [False, True])
def test_what_joins_a_collection_that_was_closed_has_its_rule(
    rig: Rig, source: OaiServer, has_new_rules: bool
) -> None:
    close(rig)
    source.records |= {f"oai:m:{name}": (name, source.now) for name in (*IMAGES, TO_COME)}
    if has_new_rules:
        rig.schedule(RULES.format(address=source.address).replace('"Books"', '"More books"'))
    rig.next_day()
    assert rig.tick().exit_code == INCOMPLETE  # an image is missing
    assert (collection(rig).access, len(collection(rig).members)) == ("closed", 4)
    assert {rule_of(rig, image) for image in (*IMAGES, TO_COME)} == {"closed"}
    rig.next_day()
    assert rig.tick().exit_code == INCOMPLETE  # an image is missing
    assert collection(rig).access == "closed"
