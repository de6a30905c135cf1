"""MigrateMaster: however often it is called, one version of a master becomes one image."""

import json

import pytest

from tests.unit.migrate.museum import BROKEN, EARLY, LATE, UNLUCKY, Museum
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.publish.curation import Curation
from vitrine.ingest.start.start_ingest import start_ingest
from vitrine.migrate.planned_row import UNSUCCESSFUL
from vitrine.store.clock import now
from vitrine.store.layout import metadata_key


def test_a_master_is_published_under_the_identifier_of_its_row(museum: Museum) -> None:
    museum.put("a.tif", b"123")
    assert museum.call("a.tif", "A") is None
    result = museum.migrate("a.tif", "A")
    assert (result.state, result.identifier) == ("published", "A")
    assert (result.master_bytes, result.access_master_bytes, result.pixels) == (3, 4, 20_000)
    assert museum.live() == {"A": "a.tif"}


@pytest.mark.parametrize(("metadata", "identifier"), [({}, "a"), ({"identifier": "X"}, "X")])
def test_without_one_the_starter_s_rules_hold(
    museum: Museum, metadata: dict[str, str], identifier: str
) -> None:
    museum.put("s/a.tif", **metadata)
    assert museum.migrate("s/a.tif").identifier == identifier


def test_while_it_runs_asking_starts_nothing(museum: Museum) -> None:
    museum.pipeline.held = True
    museum.put("a.tif")
    assert [museum.call("a.tif") for _ in range(3)] == [None, None, None]
    assert len(museum.pipeline.executions) == 1


def test_what_an_event_started_is_waited_for(museum: Museum) -> None:
    museum.put("a.tif", identifier="A")
    start_ingest(museum.ingest, "a.tif")
    result = museum.call("a.tif", "A")
    assert result
    assert (result.state, len(museum.pipeline.executions)) == ("published", 1)


def test_what_was_published_before_is_unchanged_and_converts_nothing(museum: Museum) -> None:
    museum.put("a.tif")
    museum.migrate("a.tif")
    result = museum.migrate("a.tif", begun_at=LATE, tried_at=LATE)
    assert (result.state, museum.pipeline.converted) == ("unchanged", ["a.tif"])


def test_a_new_version_is_converted(museum: Museum) -> None:
    museum.put("a.tif", b"1")
    museum.migrate("a.tif", "A")
    museum.put("a.tif", b"2")
    assert museum.migrate("a.tif", "A", begun_at=EARLY).state == "published"
    assert museum.pipeline.converted == ["a.tif", "a.tif"]


@pytest.mark.parametrize("body", [b"1", b"2"])
def test_what_a_curator_withdrew_is_counted_as_withdrawn(museum: Museum, body: bytes) -> None:
    """As it was, and uploaded again: it is neither failed nor published."""
    museum.put("a.tif", b"1")
    museum.migrate("a.tif", "A")
    services = museum.ingest
    curation = Curation(
        register=services.register, masters=services.masters, outcomes=services.outcomes
    )
    curation.withdraw("A", "Rights ended.")
    if body != b"1":
        museum.put("a.tif", body)
    result = museum.migrate("a.tif", "A", begun_at=LATE, tried_at=LATE)
    assert (result.state, result.identifier) == ("withdrawn", "A")
    assert museum.live() == {}
    assert result.state not in UNSUCCESSFUL


def test_a_missing_master_is_missing(museum: Museum) -> None:
    result = museum.migrate("nowhere.tif", "A")
    assert (result.state, result.problem.code) == ("missing", "source-missing")
    assert museum.ingest.outcomes.get("nowhere.tif") is None


def test_a_rejection_is_reported_and_not_tried_again(museum: Museum) -> None:
    museum.put("a.tif", BROKEN)
    for _ in range(2):
        result = museum.migrate("a.tif", begun_at=LATE, tried_at=LATE)
        assert (result.state, result.problem.code) == ("rejected", "not-an-image")
    assert len(museum.pipeline.executions) == 1


def test_a_failure_is_reported_and_tried_again_by_the_next_migration(museum: Museum) -> None:
    museum.put("a.tif", UNLUCKY)
    assert museum.migrate("a.tif").state == "failed"
    assert len(museum.pipeline.executions) == 1
    assert museum.call("a.tif", tried_at=LATE) is None
    assert museum.migrate("a.tif").state == "failed"
    assert len(museum.pipeline.executions) == 2


def test_an_identifier_of_another_master_is_refused_and_its_metadata_stay(museum: Museum) -> None:
    museum.put("a.tif")
    museum.migrate("a.tif", "A", metadata={"title": "first"})
    museum.put("b.tif")
    result = museum.migrate("b.tif", "A", metadata={"title": "second"})
    assert (result.state, result.problem.code) == ("rejected", "identifier-taken")
    assert json.loads(museum.ingest.records.get(metadata_key("A"))[0])["master_key"] == "a.tif"
    assert museum.pipeline.converted == ["a.tif"]


def test_a_better_identifier_makes_a_rejection_good(museum: Museum) -> None:
    museum.put("a.tif")
    museum.migrate("a.tif", "A")
    museum.put("b.tif", identifier="A")
    start_ingest(museum.ingest, "b.tif")
    outcome = museum.ingest.outcomes.get("b.tif")
    assert outcome
    assert outcome.code == "identifier-taken"
    result = museum.migrate("b.tif", "B", tried_at=now())
    assert (result.state, result.identifier) == ("published", "B")


def test_a_published_master_is_not_published_again_under_another_name(museum: Museum) -> None:
    museum.put("a.tif")
    museum.migrate("a.tif", "A")
    result = museum.migrate("a.tif", "B")
    assert (result.state, result.problem.code) == ("rejected", "published-as-another")
    assert museum.live() == {"A": "a.tif"}


def test_an_invalid_identifier_is_refused(museum: Museum) -> None:
    museum.put("a.tif", identifier="..")
    assert museum.migrate("a.tif").problem.code == "identifier-invalid"


def test_the_identifier_of_a_manifest_outlives_redrives_and_new_uploads(museum: Museum) -> None:
    museum.pipeline.held = True
    museum.put("a.tif")
    museum.call("a.tif", "A")
    start_ingest(museum.ingest, "a.tif")
    museum.pipeline.held = False
    [request] = museum.pipeline.executions.values()
    museum.pipeline.run(IngestMaster.from_json(request))
    museum.put("a.tif", b"a better scan")
    start_ingest(museum.ingest, "a.tif")
    assert museum.live() == {"A": "a.tif"}


def test_metadata_are_kept_as_one_object_and_written_when_they_change(museum: Museum) -> None:
    museum.put("a.tif")
    museum.migrate("a.tif", "é/1", metadata={"title": "Nachtwache", "year": 1642})
    key = metadata_key("é/1")
    body, first = museum.ingest.records.get(key)
    assert json.loads(body) == {
        "identifier": "é/1",
        "master_key": "a.tif",
        "metadata": {"title": "Nachtwache", "year": 1642},
    }
    museum.migrate("a.tif", "é/1", metadata={"title": "Nachtwache", "year": 1642})
    assert museum.ingest.records.head(key).version == first.version
    museum.migrate("a.tif", "é/1", metadata={"title": "De Nachtwacht"})
    body, _ = museum.ingest.records.get(key)
    assert json.loads(body)["metadata"] == {"title": "De Nachtwacht"}
