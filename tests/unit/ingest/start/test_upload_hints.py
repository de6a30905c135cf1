"""What others hear, as docs/reference/events.md says it."""

from pathlib import Path
from typing import Any

import pytest
import pyvips

from docs.build.events_page import EXAMPLES, schema
from vitrine.errors import Rejection
from vitrine.events import EVENTS
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.ingest.steps.verify_access_master import verify_access_master

ROOT = Path(__file__).parents[4]
KINDS = {"string": str, "integer": int, "boolean": bool}


def assert_fits(detail: dict[str, Any], document: dict[str, Any]) -> None:
    assert set(detail) == set(document["required"]) == set(document["properties"])
    for name, value in detail.items():
        assert isinstance(value, KINDS[document["properties"][name]["type"]]), name


@pytest.fixture
def ingest_request(services: IngestServices, tmp_path: Path) -> IngestMaster:
    path = tmp_path / "m"
    pyvips.Image.xyz(90, 80).cast("uchar").extract_band(0).tiffsave(str(path))
    services.masters.upload(path, "a.tif", content_type="", metadata={})
    start_ingest(services, "a.tif")
    [request] = services.pipeline.executions.values()  # type: ignore[attr-defined]
    return IngestMaster.from_json(request)


def heard(services: IngestServices) -> list[tuple[str, dict[str, Any]]]:
    events: list[tuple[str, dict[str, Any]]] = services.events.events  # type: ignore[attr-defined]
    return events


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name())
def test_every_example_fits_its_schema(event: Any) -> None:
    assert_fits(EXAMPLES[event.name()], schema(event))


def test_a_publication_is_announced_as_its_schema_says(
    services: IngestServices, ingest_request: IngestMaster
) -> None:
    converted = convert_master(services, ingest_request)
    publish_image(services, verify_access_master(services, converted))
    assert [name for name, _ in heard(services)] == ["ImageChanged", "ImagePublished"]
    for name, detail in heard(services):
        assert_fits(detail, {event.name(): schema(event) for event in EVENTS}[name])
        assert detail["identifier"] == "a"


def test_a_rejection_is_announced_as_its_schema_says(
    services: IngestServices, ingest_request: IngestMaster
) -> None:
    record_rejection(
        services, ingest_request, Rejection("not-an-image", "It is not an image.", "Dear")
    )
    [(name, detail)] = heard(services)
    assert_fits(detail, {event.name(): schema(event) for event in EVENTS}[name])
    assert (name, detail["sentence"]) == ("ImageRejected", "It is not an image.")
