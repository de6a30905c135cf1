"""The reconciler mends everything with the rights of its deployed role, and needs all of them."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rigs.service_instance import Instance, start_instance
from tests.integration.local.machines import draw
from vitrine.adapters.aws.message_queue import SqsQueue
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.reconciler import reconcile_services
from vitrine.identify.canary import CANARY_IDENTIFIER, guard_table
from vitrine.ingest.repair.patrol import patrol
from vitrine.ingest.repair.reconciler import ReconcileServices, walk_through
from vitrine.local import emulator
from vitrine.local.up import REGION
from vitrine.ports import KeyPage
from vitrine.records import Live, Outcome
from vitrine.store.clock import now
from vitrine.store.layout import SUPERSEDED_TAG, access_master_key

KEY, HOPELESS = "letters/one.tif", "letters/..tif"
REPORTED = "letters/Bär + zwei.tif"
NOBODYS = access_master_key("nobody", "0" * 16)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with start_instance(tmp_path_factory.mktemp("reconciler-role")) as service:
        bus = service.access.client("events")
        for rule in bus.list_rules()["Rules"]:
            bus.disable_rule(Name=rule["Name"])
        yield service


@pytest.fixture
def services(running: Instance, monkeypatch: pytest.MonkeyPatch) -> ReconcileServices:
    """What its Lambda has: its settings, and the rights of its role."""
    functions = running.access.client("lambda").list_functions()["Functions"]
    (function,) = [item for item in functions if "-ingest-Reconcile" in item["FunctionName"]]
    port = urlsplit(running.access.endpoint_url or "").port or 0
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    rights = emulator.task_credentials(REGION, port, function["Role"])
    for name, value in (function["Environment"]["Variables"] | rights).items():
        monkeypatch.setenv(name, value)
    return reconcile_services.__wrapped__()


def walk(services: ReconcileServices, **changes: str) -> dict[str, int]:
    """One walk; what began before it counts as old."""
    rules = replace(services.rules_after_a_restart(datetime.now(UTC)), **changes)  # type: ignore[arg-type]
    return dict(walk_through(services, rules, never))


def never() -> bool:
    return False


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def state(running: Instance, key: str = KEY) -> str:
    outcome = running.service.outcomes.get(key)
    return outcome.state if outcome else ""


def storage(services: ReconcileServices) -> S3ObjectStore:
    store = services.starter.ingest.access_masters
    assert isinstance(store, S3ObjectStore)
    return store


def raw(running: Instance, store: Any) -> dict[str, Any]:
    """The account's own client of a bucket."""
    return {"client": running.access.client("s3"), "bucket": store._bucket}


def test_it_plants_the_canary_of_a_new_environment(
    running: Instance, services: ReconcileServices
) -> None:
    table: Any = running.service.identifiers
    table._client.delete_item(TableName=table._table, Key={"identifier": {"S": CANARY_IDENTIFIER}})
    ingest = services.starter.ingest
    assert guard_table(ingest.identifiers, ingest.records)
    assert ingest.identifiers.get(CANARY_IDENTIFIER)


def test_it_starts_what_no_event_reported(
    running: Instance, services: ReconcileServices, tmp_path: Path
) -> None:
    draw(tmp_path / "one.tif", 1)
    body = (tmp_path / "one.tif").read_bytes()
    for key in (KEY, HOPELESS):
        running.service.masters.put(key, body, content_type="image/tiff")
    counts = walk(services)
    assert (counts["started"], counts["rejected"]) == (1, 1)
    assert state(running, HOPELESS) == "rejected"
    until(lambda: state(running) == "published")


def test_its_patrol_starts_what_only_s3_reported_however_many_masters_there_are(
    running: Instance, services: ReconcileServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bus has no rule: the one way left is from the bucket to its own queue."""
    monkeypatch.setattr(
        services.starter.ingest.masters, "list_keys", lambda after="": KeyPage([], "more")
    )
    client, queue = running.access.client("sqs"), services.notifications
    assert isinstance(queue, SqsQueue)
    attributes = {"QueueUrl": queue._queue_url}
    held_back = client.get_queue_attributes(**attributes, AttributeNames=["DelaySeconds"])
    assert held_back["Attributes"]["DelaySeconds"] == "300"
    client.set_queue_attributes(**attributes, Attributes={"DelaySeconds": "0"})
    draw(tmp_path / "two.tif", 2)
    running.service.masters.put(REPORTED, (tmp_path / "two.tif").read_bytes(), content_type="")
    rules = services.rules(datetime.now(UTC))
    until(lambda: bool(patrol(services, rules)["started"]))
    until(lambda: state(running, REPORTED) == "published")
    running.service.masters.delete(REPORTED)
    until(lambda: bool(patrol(services, rules)["withdrawing"]))
    until(lambda: state(running, REPORTED) == "withdrawn")
    until(lambda: not patrol(services, rules)["withdrawing"])


def test_it_tags_what_nobody_needs_and_keeps_what_is_live(
    running: Instance, services: ReconcileServices
) -> None:
    image = running.service.identifiers.get("one")
    assert isinstance(image, Live)
    everybody = S3ObjectStore(**raw(running, storage(services)))
    everybody.put(NOBODYS, b"never published", content_type="image/tiff")
    everybody.tag(image.access_master_key, SUPERSEDED_TAG)
    counts = walk(services)
    assert (counts["superseded"], counts["kept"]) == (1, 1)
    assert everybody.tags(NOBODYS) == SUPERSEDED_TAG
    assert everybody.tags(image.access_master_key) == {}


def test_it_starts_a_lost_execution_again(running: Instance, services: ReconcileServices) -> None:
    outcome = running.service.outcomes.get(KEY)
    assert outcome
    lost: Outcome = replace(outcome, state="running", execution="0" * 64)
    table: Any = running.service.outcomes
    table._client.delete_item(TableName=table._table, Key={"master_key": {"S": KEY}})
    assert running.service.outcomes.record(lost)
    # Step Functions is asked, as of an execution that might still be running.
    counts = walk(services, unfinished_before="2026-01-01T00:00:00.000Z", lost_before=now())
    assert counts["restarted"] == 1
    until(lambda: state(running) == "published")


def test_it_withdraws_what_was_deleted_unseen(
    running: Instance, services: ReconcileServices
) -> None:
    running.service.masters.delete(KEY)
    assert walk(services)["withdrawing"] == 1
    until(lambda: state(running) == "withdrawn")
