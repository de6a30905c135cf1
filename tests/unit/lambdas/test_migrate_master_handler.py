"""The handler of MigrateMaster: what the Distributed Map sees of an item."""

import json
from pathlib import Path
from typing import Any

import pytest

from lambdas.migrate_master import handler as module
from vitrine.adapters.memory.ingest_services import MemoryIngestServices
from vitrine.errors import IngestUnfinished, NotMigrated
from vitrine.ingest.inspect.limits import MasterLimits

TIMES = {"begun_at": "2026-01-01T00:00:00.000Z", "tried_at": "2026-01-01T00:00:00.000Z"}


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


def call(**item: Any) -> Any:
    return module.handler({"item": item, **TIMES}, Context())


def test_an_unfinished_ingest_is_asked_for_again(services: MemoryIngestServices) -> None:
    services.masters.put("a.tif", b"1", content_type="")
    for _ in range(2):
        with pytest.raises(IngestUnfinished):
            call(key="a.tif", identifier="A", metadata={"title": "x"})
    [request] = services.pipeline.executions.values()
    assert request["identifier"] == "A"


def test_what_was_not_published_fails_its_item_with_the_reason(
    services: MemoryIngestServices,
) -> None:
    with pytest.raises(NotMigrated) as raised:
        call(key="nowhere.tif")
    result = json.loads(str(raised.value))
    assert (result["key"], result["state"]) == ("nowhere.tif", "missing")
    assert result["problem"]["code"] == "source-missing"


def test_it_is_a_thin_shell() -> None:
    assert len(Path(str(module.__file__)).read_text().splitlines()) < 60
