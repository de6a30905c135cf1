"""The handler of MigrateMaster: what the Distributed Map sees of a batch."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lambdas.migrate_master import handler as module
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.errors import IngestUnfinished, NotMigrated
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.migrate.migrate_batch import BATCH_SECONDS, BatchClock, migrate_batch

COMMON = {"begun_at": "2026-01-01T00:00:00.000Z", "tried_at": "2026-01-01T00:00:00.000Z"}
COMMON |= {"tolerated_percent": 5, "at_once": 0, "most_at_once": 40}


class Context:
    """The context that Lambda passes to a handler."""

    function_name = "MigrateMaster"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:eu-west-1:000000000000:function:MigrateMaster"
    aws_request_id = "1"


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> MemoryIngestServices:
    made = MemoryIngestServices(limits=MasterLimits(pixels=1, bytes=1))
    monkeypatch.setattr(module, "ingest_services", lambda: made)
    return made


def call(monkeypatch: pytest.MonkeyPatch, *items: dict[str, Any]) -> Any:
    """Call the handler with a clock that is at the end of the batch's time after one pause."""
    times = iter([0.0, 0.0, 0.0])
    clock = BatchClock(read=lambda: next(times, BATCH_SECONDS), sleep=lambda seconds: None)
    monkeypatch.setattr(module, "migrate_batch", partial(migrate_batch, clock=clock))
    return module.handler({"Items": items, "BatchInput": COMMON}, Context())


def test_an_unfinished_ingest_is_asked_for_again(
    services: MemoryIngestServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.masters.put("map.tif", b"1", content_type="")
    for _ in range(2):
        with pytest.raises(IngestUnfinished):
            call(monkeypatch, {"key": "map.tif", "identifier": "A", "metadata": {"title": "x"}})
    [request] = services.pipeline.executions.values()
    assert request["identifier"] == "A"


def test_what_was_not_published_fails_its_batch(
    services: MemoryIngestServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotMigrated) as raised:
        call(monkeypatch, {"key": "nowhere.tif"})
    assert json.loads(str(raised.value)) == {"missing": 1}


def test_it_is_a_thin_shell() -> None:
    assert len(Path(str(module.__file__)).read_text().splitlines()) < 60
