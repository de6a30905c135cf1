"""A failure is listed until it is redriven, and redriven once."""

import json
from pathlib import Path

import pytest

from vitrine.adapters.memory.messaging import MemoryPipeline, MemoryQueue
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_failure, record_lost_execution, record_outcome
from vitrine.ingest.repair.dead_letters import (
    UNREADABLE_EVENT,
    UNSENT_MAIL,
    UNUSED_EVENT,
    UNUSED_MESSAGE,
    Worker,
)
from vitrine.ingest.repair.failures import Failure, FailureServices
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest
from vitrine.ingest.start.throttle import Throttle
from vitrine.ingest.start.upload_hints import Hint, StarterServices, follow_hint
from vitrine.records import Outcome

KEY = "a/nachtwache.tif"
KILLED = {"Error": "Runtime.ExitError", "Cause": json.dumps({"errorMessage": "signal: killed"})}


@pytest.fixture
def failures(services: IngestServices) -> FailureServices:
    return FailureServices(
        failures=services.failures,
        dead_letters=MemoryQueue(),
        uploads=MemoryQueue(),
        outcomes=services.outcomes,
        workers=(
            Worker(name="UpdateGallery", queue=MemoryQueue(), dead_letters=MemoryQueue()),
            Worker(name="RecordLostExecution", queue=MemoryQueue(), dead_letters=MemoryQueue()),
        ),
    )


@pytest.fixture
def first(services: IngestServices, tmp_path: Path) -> IngestMaster:
    """The request of a first execution, which failed."""
    upload(services, tmp_path)
    assert start_ingest(services, KEY) is StartResult.STARTED
    request = latest(services)
    record_failure(services, request, KILLED)
    return request


def upload(services: IngestServices, tmp_path: Path, body: bytes = b"1") -> None:
    (tmp_path / "m").write_bytes(body)
    services.masters.upload(tmp_path / "m", KEY, content_type="", metadata={})


def executions(services: IngestServices) -> dict[str, dict[str, object]]:
    assert isinstance(services.pipeline, MemoryPipeline)
    return services.pipeline.executions


def latest(services: IngestServices) -> IngestMaster:
    return IngestMaster.from_json(list(executions(services).values())[-1])


def outcome_of(services: IngestServices) -> Outcome:
    outcome = services.outcomes.get(KEY)
    assert outcome
    return outcome


def redrive_all(failures: FailureServices) -> list[Failure]:
    found = failures.take()
    for failure in found:
        failures.redrive(failure)
    failures.give_back(found)
    return found


def follow_all(services: IngestServices, failures: FailureServices) -> list[StartResult]:
    starter = StarterServices(
        ingest=services,
        uploads=failures.uploads,
        throttle=Throttle(services.pipeline, at_once=0, starters=1),
    )
    messages = failures.uploads.take()
    failures.uploads.delete(messages)
    return [follow_hint(starter, message.body) for message in messages]


def test_a_failure_tells_what_happened_in_words(
    failures: FailureServices, first: IngestMaster
) -> None:
    [failure] = failures.take()
    assert (failure.master_key, failure.code) == (KEY, "Runtime.ExitError")
    assert failure.sentence == (
        "The Lambda was killed, most likely because its memory was full. It can be redriven."
    )
    assert failure.value == "signal: killed"
    assert failure.execution == first.execution


def test_looking_takes_nothing_away(failures: FailureServices, first: IngestMaster) -> None:
    for _ in range(3):
        found = failures.take()
        failures.give_back(found)
        assert len(found) == 1


def test_a_redriven_failure_starts_under_a_new_name_and_leaves_the_list(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    assert len(redrive_all(failures)) == 1
    assert follow_all(services, failures) == [StartResult.STARTED]
    again = latest(services)
    assert again.execution != first.execution
    assert again.redrives == first.execution
    assert outcome_of(services).state == "running"
    assert failures.take() == []
    record_outcome(services, again, "published")
    assert outcome_of(services).state == "published"
    assert failures.take() == []


def test_one_failure_is_redriven_once_however_often_that_is_asked_for(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    for _ in range(3):
        failures.uploads.send(Hint(master_key=KEY, redrives=first.execution).as_body())
    started = follow_all(services, failures)
    assert sorted(started) == [StartResult.KNOWN, StartResult.KNOWN, StartResult.STARTED]
    record_outcome(services, latest(services), "published")
    failures.uploads.send(Hint(master_key=KEY, redrives=first.execution).as_body())
    assert follow_all(services, failures) == [StartResult.KNOWN]
    assert outcome_of(services).state == "published"
    assert len(executions(services)) == 2


def test_a_redrive_that_fails_can_be_redriven(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    for _ in range(3):
        redrive_all(failures)
        assert follow_all(services, failures) == [StartResult.STARTED]
        record_failure(services, latest(services), KILLED)
    assert len(failures.take()) == 1
    assert len(executions(services)) == 4


def test_a_repeated_upload_event_redrives_nothing(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    assert start_ingest(services, KEY) is StartResult.KNOWN
    assert outcome_of(services).state == "failed"


def test_a_late_redrive_of_a_replaced_master_changes_nothing(
    services: IngestServices, failures: FailureServices, first: IngestMaster, tmp_path: Path
) -> None:
    upload(services, tmp_path, b"newer")
    assert start_ingest(services, KEY) is StartResult.STARTED
    record_outcome(services, latest(services), "published")
    redrive_all(failures)
    assert follow_all(services, failures) == [StartResult.KNOWN]
    assert outcome_of(services).state == "published"
    assert failures.take() == []


def test_a_failure_that_its_queue_forgot_is_still_listed_and_redriven(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    """SQS keeps a message for fourteen days."""
    for message in services.failures.take():
        services.failures.delete([message])
    [failure] = redrive_all(failures)
    assert failure.message is None
    assert follow_all(services, failures) == [StartResult.STARTED]


def test_a_failure_whose_outcome_could_not_be_written_is_redriven(
    services: IngestServices, failures: FailureServices, tmp_path: Path
) -> None:
    """The queue has it, the outcome still says running."""
    upload(services, tmp_path)
    start_ingest(services, KEY)
    request = latest(services)
    record_failure(services, request, KILLED)
    [failure] = failures.take()
    services.outcomes._outcomes.clear()  # type: ignore[attr-defined]
    record_outcome(services, request, "running")
    failures.redrive(failure)
    assert follow_all(services, failures) == [StartResult.STARTED]


def test_an_unusable_event_is_redriven_and_an_unreadable_one_stays(
    services: IngestServices, failures: FailureServices, tmp_path: Path
) -> None:
    upload(services, tmp_path)
    failures.dead_letters.send(json.dumps({"detail": {"object": {"key": KEY}}}))
    failures.dead_letters.send("no JSON")
    found = failures.take()
    assert {failure.code for failure in found} == {UNUSED_EVENT, UNREADABLE_EVENT}
    for failure in found:
        if failure.redrivable:
            failures.redrive(failure)
    failures.give_back(found)
    assert follow_all(services, failures) == [StartResult.STARTED]
    assert [failure.value for failure in failures.take()] == ["no JSON"]


def test_a_failure_of_a_master_cannot_be_discarded(
    failures: FailureServices, first: IngestMaster
) -> None:
    (failure,) = failures.take()
    with pytest.raises(ValueError, match="can be redriven, not discarded"):
        failures.discard(failure)
    assert failures.failures.length() == 1


@pytest.mark.parametrize("status", ["TIMED_OUT", "ABORTED", "FAILED"])
def test_an_execution_that_ended_without_a_record_becomes_a_failure(
    services: IngestServices, failures: FailureServices, tmp_path: Path, status: str
) -> None:
    upload(services, tmp_path)
    start_ingest(services, KEY)
    record_lost_execution(services, latest(services), status, {"Error": "", "Cause": ""})
    [failure] = redrive_all(failures)
    assert failure.code == f"Execution.{status}"
    assert outcome_of(services).state == "failed"
    assert follow_all(services, failures) == [StartResult.STARTED]


def test_an_execution_that_has_its_record_is_not_lost(
    services: IngestServices, failures: FailureServices, first: IngestMaster
) -> None:
    """Failed is what every recorded failure ends as."""
    record_lost_execution(services, first, "FAILED", {"Error": "Runtime.ExitError", "Cause": ""})
    assert len(failures.take()) == 1
    redrive_all(failures)
    follow_all(services, failures)
    record_lost_execution(services, first, "FAILED", {"Error": "Runtime.ExitError", "Cause": ""})
    assert outcome_of(services).state == "running"


def test_what_a_worker_failed_at_goes_back_into_its_queue_as_it_was(
    failures: FailureServices,
) -> None:
    gallery, lost = failures.workers
    gallery.dead_letters.send("a change of the gallery")
    lost.dead_letters.send("an end")
    found = failures.take()
    assert {failure.code for failure in found} == {UNUSED_MESSAGE}
    [change] = [failure for failure in found if failure.worker is gallery]
    assert (change.redrivable, change.value) == (True, "a change of the gallery")
    failures.redrive(change)
    failures.give_back(found)
    assert [message.body for message in gallery.queue.take()] == ["a change of the gallery"]
    assert (gallery.dead_letters.length(), lost.dead_letters.length()) == (0, 1)
    assert (lost.queue.length(), failures.uploads.length()) == (0, 0)
    [left] = failures.take()
    assert left.kept_in == "the dead letters of RecordLostExecution"


def test_a_message_of_a_worker_can_be_discarded(failures: FailureServices) -> None:
    gallery, _ = failures.workers
    gallery.dead_letters.send("no JSON")
    [failure] = failures.take()
    failures.discard(failure)
    assert (gallery.dead_letters.length(), gallery.queue.length()) == (0, 0)


def test_what_cannot_be_redriven_is_refused_and_kept(failures: FailureServices) -> None:
    failures.dead_letters.send("no JSON")
    [failure] = failures.take()
    with pytest.raises(ValueError, match="cannot be redriven"):
        failures.redrive(failure)
    assert failures.dead_letters.length() == 1


def test_a_mail_that_was_not_sent_says_so(failures: FailureServices) -> None:
    """EventBridge leaves the whole event where its target did not take the mail."""
    event = {"detail-type": "ImageRejected", "detail": {"master_key": KEY, "code": "not-an-image"}}
    failures.dead_letters.send(json.dumps(event))
    [failure] = failures.take()
    assert (failure.code, failure.redrivable) == (UNSENT_MAIL, False)
    assert "not-an-image" in failure.value


def test_a_strange_message_among_the_failures_hides_none_of_them(
    failures: FailureServices, first: IngestMaster
) -> None:
    for body in ("no JSON", "[]", "{}"):
        failures.failures.send(body)
    codes = [failure.code for failure in failures.take()]
    assert sorted(codes) == sorted([*3 * [UNREADABLE_EVENT], "Runtime.ExitError"])
