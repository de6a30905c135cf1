"""The handlers with memory adapters: events in, results and recorded outcomes out."""

import gzip
import importlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.patience import SECONDS
from tests.unit.catalogue.object_bench import book, shelf
from tests.unit.deliver.deliver_records import live
from tests.unit.lambdas.lambda_functions import Functions, batch, created, picture
from tests.unit.statistics.log_bench import cloudfront
from vitrine.catalogue.objects import Objects
from vitrine.errors import MasterRejected, ObjectMissing, SupersededMaster, TransientError
from vitrine.identify.canary import CANARY
from vitrine.identify.journal import Journal
from vitrine.iiif.presentation.model import Canvas
from vitrine.ingest.rejections import wrong_result
from vitrine.ports import ObjectInfo
from vitrine.store.layout import SUPERSEDED_TAG
from vitrine.store.omissions import SEARCH, TEXT_SEARCH, Omissions
from vitrine.store.publications import Published, Waiting

CHANGED = "ImageChanged"
STEPS = (
    "start_ingest",
    "convert_master",
    "verify_access_master",
    "publish_image",
    "record_rejection",
    "record_failure",
    "record_lost_execution",
    "withdraw_image",
    "reconcile",
    "update_gallery",
    "publish_objects",
    "record_changes",
    "write_dumps",
    "count_visits",
    "update_search",
    "invalidate_edge",
)


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Functions]:
    """Handlers over one set of memory adapters."""
    return Functions(monkeypatch)


def test_the_steps_pass_a_master_on_to_the_gallery(functions: Functions, tmp_path: Path) -> None:
    message = functions.upload(tmp_path / "m", "a/Gang №1.tif", picture())
    for step in ("convert_master", "verify_access_master"):
        message = functions(step, message)
    detail = functions("publish_image", message)
    assert detail["identifier"] == "Gang №1"
    event = json.dumps({"detail-type": "ImagePublished", "detail": detail})
    assert functions("update_gallery", batch(event)) == {"batchItemFailures": []}
    body, _ = functions.gallery.site.get("gallery.json")
    [image] = json.loads(body)["images"]
    assert (image["identifier"], image["width"], image["height"]) == ("Gang №1", 300, 200)


def test_a_published_image_is_shown_in_the_objects_that_waited_for_it(
    functions: Functions, tmp_path: Path
) -> None:
    item = book(canvases=(Canvas(image="a"),))
    waiting = Objects(functions.publisher).put(item).publishing
    assert isinstance(waiting.publication, Waiting)
    message = functions.upload(tmp_path / "m", "a.tif", picture())
    for step in ("convert_master", "verify_access_master", "publish_image"):
        message = functions(step, message)
    [*_, changed] = [detail for name, detail in functions.services.events.events if name == CHANGED]
    event = json.dumps({"detail-type": CHANGED, "detail": changed})
    assert functions("publish_objects", batch(event)) == {"batchItemFailures": []}
    published = functions.publisher.publish("book")
    assert published
    assert isinstance(published.publication, Published)
    assert not published.made


def test_a_slice_without_time_announces_the_pages_that_it_leaves(functions: Functions) -> None:
    functions.services.register.change("one", lambda _: live("one"))
    for item in (book(), shelf()):
        Objects(functions.publisher).put(item)
    sent = functions.services.events.events
    [outdated] = [detail for name, detail in sent if name == "PagesOutdated"]
    event = batch(json.dumps({"detail-type": "PagesOutdated", "detail": outdated}))
    sent.clear()
    assert functions("publish_objects", event) == {"batchItemFailures": []}
    assert sent == []
    assert functions("publish_objects", event, milliseconds=100_000) == {"batchItemFailures": []}
    assert sent == [("PagesOutdated", outdated)]


def test_what_was_published_joins_the_stream_of_changes(functions: Functions) -> None:
    Objects(functions.publisher).put(shelf())
    name, detail = functions.services.events.events[-1]
    event = json.dumps({"detail-type": name, "detail": detail})
    assert functions("record_changes", batch(event, "{}"))["batchItemFailures"] == [
        {"itemIdentifier": "1"}
    ]
    body, _ = functions.publisher.site.get("discovery/changes/first.json")
    [activity] = json.loads(body)["orderedItems"]
    assert (activity["type"], activity["object"]["type"]) == ("Create", "Collection")
    assert activity["startTime"] == detail["published_at"]


@pytest.mark.parametrize(
    "changes",
    [
        {"change": "invented"},
        {"kind": "canvas"},
        {"identifier": 7},
        {"identifier": "\ud800"},
        {"published_at": None},
        {"change": "moved", "target": ["shelf"]},
    ],
)
def test_a_change_that_cannot_be_announced_stops_no_other(
    functions: Functions, changes: dict[str, Any]
) -> None:
    Objects(functions.publisher).put(shelf())
    detail = functions.services.events.events[-1][1]
    sound, bad = json.dumps({"detail": detail}), json.dumps({"detail": detail | changes})
    assert functions("record_changes", batch(bad, sound)) == {
        "batchItemFailures": [{"itemIdentifier": "0"}]
    }
    body, _ = functions.publisher.site.get("discovery/changes/first.json")
    assert [one["type"] for one in json.loads(body)["orderedItems"]] == ["Create"]


def test_an_image_whose_event_makes_no_sense_stops_no_other(functions: Functions) -> None:
    detail = {"identifier": "a", "state": "live", "revision": 1, "changed_at": "2026", "new": 1}
    events = [
        json.dumps({"detail-type": "ImageChanged", "detail": one})
        for one in (detail, detail | {"identifier": ["a"]}, detail | {"revision": None}, [])
    ]
    assert functions("publish_objects", batch(*events)) == {
        "batchItemFailures": [{"itemIdentifier": number} for number in "123"]
    }


def test_what_was_published_is_in_the_next_dump(functions: Functions) -> None:
    Objects(functions.publisher).put(shelf())
    assert functions("write_dumps", {}) == {"objects": 1, "read": 1, "left_out": 0, "written": True}
    body, _ = functions.publisher.site.get("data/objects.jsonl.gz")
    assert json.loads(gzip.decompress(body))["manifest"] == (
        "https://m.example/presentation/3/shelf/collection.json"
    )
    assert functions("write_dumps", {})["written"] is False


def test_what_any_part_leaves_out_is_counted_by_the_hour(
    functions: Functions, capsys: pytest.CaptureFixture[str]
) -> None:
    Objects(functions.publisher).put(shelf())
    functions("write_dumps", {})
    assert "ObjectsLeftOut" not in capsys.readouterr().out
    for part in (SEARCH, TEXT_SEARCH):
        with Omissions(functions.publisher.site, part) as omissions:
            omissions.leave_out("shelf", ValueError("bad"))
    functions("write_dumps", {})
    lines = [json.loads(one) for one in capsys.readouterr().out.splitlines() if "LeftOut" in one]
    assert [(one["service"], one["ObjectsLeftOut"]) for one in lines] == [("write_dumps", [1.0])]


def test_a_dump_that_takes_too_long_ends_by_itself_and_says_what_to_do(
    functions: Functions,
) -> None:
    Objects(functions.publisher).put(shelf())
    with pytest.raises(TransientError, match=r"1 objects .* `vitrine collection dump"):
        functions("write_dumps", {}, milliseconds=30_000)
    with pytest.raises(ObjectMissing):
        functions.publisher.site.get("data/objects.jsonl.gz")


def test_visits_of_yesterday_are_counted(functions: Functions) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    logs = functions.statistics.logs
    line = cloudfront("/objects/book", date=yesterday.isoformat())
    key = f"log/{yesterday:%Y/%m/%d}/10/E1.{yesterday}-10.a.gz"
    logs.put(key, gzip.compress(line), content_type="application/gzip")
    assert functions("count_visits", {}) == {yesterday.isoformat(): 1}
    body, _ = functions.statistics.records.get(f"statistics/{yesterday}.json")
    assert json.loads(body)["objects"] == {"book": {"views": 1}}
    with pytest.raises(TransientError, match="before time was over"):
        functions("count_visits", {}, milliseconds=30_000)


def test_what_was_published_is_found_by_the_search(functions: Functions) -> None:
    Objects(functions.publisher).put(shelf())
    name, detail = functions.services.events.events[-1]
    message = batch(json.dumps({"detail-type": name, "detail": detail}))
    assert functions("update_search", message) == {"batchItemFailures": []}
    body, _ = functions.publisher.site.get("search/index/cards/0.json")
    assert json.loads(body)[0][:3] == ["collection", "shelf", {"en": "A shelf"}]


def test_a_search_that_takes_too_long_ends_by_itself_and_leaves_what_there_was(
    functions: Functions,
) -> None:
    Objects(functions.publisher).put(shelf())
    with pytest.raises(TransientError, match=r"1 objects .* `vitrine collection index"):
        functions("update_search", batch("{}"), milliseconds=30_000)
    with pytest.raises(ObjectMissing):
        functions.publisher.site.get("search/index/directory.json")
    assert functions("update_search", batch("{}")) == {"batchItemFailures": []}


def test_a_rejection_reaches_the_outcome_table(functions: Functions, tmp_path: Path) -> None:
    message = functions.upload(tmp_path / "m", "letter.tif", b"Dear colleague")
    with pytest.raises(MasterRejected) as raised:
        functions("convert_master", message)
    cause = json.dumps({"errorMessage": str(raised.value), "errorType": "MasterRejected"})
    functions("record_rejection", message | {"error": {"Error": "MasterRejected", "Cause": cause}})
    outcome = functions.services.outcomes.get("letter.tif")
    assert outcome
    assert (outcome.state, outcome.code) == ("rejected", "not-an-image")


def test_a_failure_keeps_its_error_for_the_next_state(functions: Functions, tmp_path: Path) -> None:
    message = functions.upload(tmp_path / "m", "a.tif", b"1")
    error = {"Error": "States.Timeout", "Cause": ""}
    assert functions("record_failure", message | {"error": error})["error"] == error
    assert len(functions.services.failures.messages) == 1


def test_a_deletion_takes_the_image_out_of_the_gallery(
    functions: Functions, tmp_path: Path
) -> None:
    message = functions.upload(tmp_path / "m", "a.tif", picture())
    for step in ("convert_master", "verify_access_master", "publish_image"):
        message = functions(step, message)
    event = json.dumps({"detail-type": "ImagePublished", "detail": {"identifier": "a"}})
    functions("update_gallery", batch(event))
    functions.services.masters.delete("a.tif")
    deleted = json.dumps({"detail-type": "Object Deleted", "detail": {"object": {"key": "a.tif"}}})
    assert functions("start_ingest", batch(deleted, deleted)) == {"batchItemFailures": []}
    [request] = functions.services.withdrawals.executions.values()
    assert functions("withdraw_image", request) == request
    events = functions.services.events.events
    detail_type, detail = events[-1]
    assert detail_type == "ImageWithdrawn"
    functions("update_gallery", batch(json.dumps({"detail": detail})))
    body, _ = functions.gallery.site.get("gallery.json")
    assert json.loads(body)["images"] == []


def test_a_restored_master_ends_the_withdrawal_by_a_named_error(
    functions: Functions, tmp_path: Path
) -> None:
    functions.upload(tmp_path / "m", "a.tif", picture())
    functions.services.masters.delete("a.tif")
    functions("start_ingest", batch(created("a.tif")))
    [request] = functions.services.withdrawals.executions.values()
    functions.services.masters.restore("a.tif")
    with pytest.raises(SupersededMaster):
        functions("withdraw_image", request)


def test_a_refused_access_master_expires(functions: Functions, tmp_path: Path) -> None:
    message = functions.upload(tmp_path / "m", "a.tif", picture())
    message = functions("convert_master", message)
    cause = json.dumps({"errorMessage": str(wrong_result("size", "1"))})
    error = {"Error": "MasterRejected", "Cause": cause}
    functions("record_rejection", message | {"error": error})
    tags = functions.services.access_masters.tags(message["access_master_key"])
    assert tags == SUPERSEDED_TAG


def test_the_reconciler_says_where_it_stopped_and_counts(
    functions: Functions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m").write_bytes(b"1")
    functions.services.masters.upload(tmp_path / "m", "a.tif", content_type="", metadata={})
    answer = functions("reconcile", {})
    assert (answer["done"], answer["crowded"], answer["counts"]["started"]) == (True, False, 1)
    assert functions("reconcile", answer)["counts"]["started"] == 0
    printed = capsys.readouterr().out.splitlines()
    metrics = [json.loads(line) for line in printed if "CloudWatchMetrics" in line]
    assert [line["Started"] for line in metrics if "Started" in line] == [[1.0]]


def test_a_patrol_that_finds_nothing_to_do_emits_no_metric(
    functions: Functions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m").write_bytes(b"1")
    functions.services.masters.upload(tmp_path / "m", "a.tif", content_type="", metadata={})
    functions("reconcile", {})
    capsys.readouterr()
    assert functions("reconcile", {"patrol": True})["counts"]["masters"] == 1
    assert "CloudWatchMetrics" not in capsys.readouterr().out


def test_the_reconciler_s_patrol_starts_what_no_event_reported(
    functions: Functions, tmp_path: Path
) -> None:
    (tmp_path / "m").write_bytes(b"1")
    functions.services.masters.upload(tmp_path / "m", "a.tif", content_type="", metadata={})
    assert functions("reconcile", {"patrol": True})["counts"]["started"] == 1
    assert functions("reconcile", {"patrol": True})["counts"]["started"] == 0


def test_the_reconciler_marks_a_new_table_and_counts_a_lost_one(
    functions: Functions, capsys: pytest.CaptureFixture[str]
) -> None:
    services = functions.services
    functions("reconcile", {})
    assert services.identifiers.get(CANARY.identifier) == CANARY
    Journal(services.records).append(CANARY)
    services.identifiers._records.clear()
    capsys.readouterr()
    functions("reconcile", {})
    assert services.identifiers.get(CANARY.identifier) is None
    printed = capsys.readouterr().out.splitlines()
    metrics = [json.loads(line) for line in printed if "CloudWatchMetrics" in line]
    lost = [line["IdentifiersTableLost"] for line in metrics if "IdentifiersTableLost" in line]
    assert lost == [[1.0]]


def test_all_messages_of_a_batch_are_followed_at_once(
    functions: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each head request waits until all ten have come, and fails if they do not."""
    all_ten, head = Barrier(10, timeout=SECONDS), functions.services.masters.head

    def wait_and_head(key: str) -> ObjectInfo:
        all_ten.wait()
        return head(key)

    monkeypatch.setattr(functions.services.masters, "head", wait_and_head)
    keys = [f"map-{number}.tif" for number in range(10)]
    for key in keys:
        functions.services.masters.put(key, b"1", content_type="")
    result = functions("start_ingest", batch(*map(created, keys)))
    assert result == {"batchItemFailures": []}
    started = functions.services.pipeline.executions.values()
    assert {request["master_key"] for request in started} == set(keys)


def test_an_unreadable_message_comes_again_alone(functions: Functions, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"1")
    functions.services.masters.upload(tmp_path / "m", "a.tif", content_type="", metadata={})
    result = functions("start_ingest", batch("not JSON", created("a.tif"), "{}"))
    assert result == {"batchItemFailures": [{"itemIdentifier": "0"}, {"itemIdentifier": "2"}]}
    assert len(functions.services.pipeline.executions) == 1
    result = functions("update_gallery", batch("{}"))
    assert result == {"batchItemFailures": [{"itemIdentifier": "0"}]}


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_a_thin_shell(step: str) -> None:
    module = importlib.import_module(f"lambdas.{step}.handler")
    assert len(Path(str(module.__file__)).read_text().splitlines()) < 60


def test_logs_and_metrics_name_the_step(
    functions: Functions,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    message = functions.upload(tmp_path / "m", "letter.tif", b"Dear colleague")
    capsys.readouterr()
    caplog.clear()
    for _ in range(2):
        with pytest.raises(MasterRejected):
            functions("convert_master", message)
    printed = capsys.readouterr().out.splitlines()
    metrics = [json.loads(line) for line in printed if "CloudWatchMetrics" in line]
    assert [(line["service"], line["Rejected"]) for line in metrics] == [
        ("convert_master", [1.0]),
        ("convert_master", [1.0]),
    ]
    ended = [record for record in caplog.records if record.message == "step ended"]
    assert [(record.name, vars(record)["master_key"]) for record in ended] == [
        ("convert_master", "letter.tif"),
        ("convert_master", "letter.tif"),
    ]
