"""The starter: an event is a hint, the store is the truth."""

from dataclasses import replace
from pathlib import Path

import pytest

from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest


def upload(services: IngestServices, tmp_path: Path, key: str, body: bytes, **metadata: str) -> str:
    file = tmp_path / "file"
    file.write_bytes(body)
    return services.masters.upload(file, key, content_type="", metadata=metadata).version


def identifiers(services: IngestServices) -> list[str]:
    executions = services.pipeline.executions  # type: ignore[attr-defined]
    return [request["identifier"] for request in executions.values()]


@pytest.mark.parametrize(
    ("key", "metadata", "identifier"),
    [
        ("a/night.watch.tif", {}, "night.watch"),
        ("Nächtlicher Gang.tif", {}, "Nächtlicher Gang"),
        ("a.tif", {"identifier": "SK-C-5"}, "SK-C-5"),
        ("a.tif", {"identifier": "nä"}, "nä"),
    ],
)
def test_the_identifier_is_given_or_the_stem(
    services: IngestServices,
    tmp_path: Path,
    key: str,
    metadata: dict[str, str],
    identifier: str,
) -> None:
    upload(services, tmp_path, key, b"1", **metadata)
    assert start_ingest(services, key) is StartResult.STARTED
    assert identifiers(services) == [identifier]
    outcome = services.outcomes.get(key)
    assert outcome
    assert outcome.state == "running"


def test_a_repeated_event_starts_nothing(services: IngestServices, tmp_path: Path) -> None:
    upload(services, tmp_path, "a.tif", b"1")
    assert start_ingest(services, "a.tif") is StartResult.STARTED
    assert start_ingest(services, "a.tif") is StartResult.KNOWN
    assert len(identifiers(services)) == 1


def test_a_late_event_of_a_deleted_master_starts_nothing(services: IngestServices) -> None:
    assert start_ingest(services, "gone.tif") is StartResult.MISSING
    assert services.outcomes.get("gone.tif") is None


def test_folders_are_ignored(services: IngestServices, tmp_path: Path) -> None:
    upload(services, tmp_path, "new folder/", b"")
    assert start_ingest(services, "new folder/") is StartResult.FOLDER
    assert services.outcomes.get("new folder/") is None


def test_an_empty_file_is_no_folder(services: IngestServices, tmp_path: Path) -> None:
    upload(services, tmp_path, "empty.tif", b"")
    assert start_ingest(services, "empty.tif") is StartResult.STARTED


@pytest.mark.parametrize("identifier", ["3", "line\nbreak", "x" * 256])
def test_an_impossible_identifier_is_a_rejection(
    services: IngestServices, tmp_path: Path, identifier: str
) -> None:
    upload(services, tmp_path, "a.tif", b"1", identifier=identifier)
    assert start_ingest(services, "a.tif") is StartResult.REJECTED
    outcome = services.outcomes.get("a.tif")
    assert outcome
    assert (outcome.state, outcome.code) == ("rejected", "identifier-invalid")
    assert identifiers(services) == []


def test_a_rejection_by_the_starter_is_announced_though_the_bus_fails_at_first(
    services: IngestServices, tmp_path: Path
) -> None:
    """The event about the upload comes again, and finds that no event was published yet."""
    upload(services, tmp_path, "a.tif", b"1", identifier="no/../identifier")
    deaf = replace(services, events=Breaking(services.events, times=1))
    with pytest.raises(TransientError):
        start_ingest(deaf, "a.tif")
    assert start_ingest(deaf, "a.tif") is StartResult.REJECTED
    assert start_ingest(deaf, "a.tif") is StartResult.KNOWN
    published = [name for name, _ in services.events.events]  # type: ignore[attr-defined]
    assert published == ["ImageRejected"]
