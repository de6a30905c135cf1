"""Events are answered one after another by one gateway, whatever comes."""

import json
import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.deliver.answer.gateway_bench import TILE, Bench
from tests.unit.deliver.function.function_events import BASE, event
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.function.invocations import MESSAGE, answer_next
from vitrine.deliver.function.runtime_api import Next
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.metrics.reporter import Reporter


class Events:
    """A queue of events, and what became of each."""

    def __init__(self, *events: Any) -> None:
        self.waiting = [Next(f"request-{number}", item) for number, item in enumerate(events)]
        self.answered: dict[str, tuple[bytes, ...]] = {}
        self.failed: dict[str, Exception] = {}

    def next(self) -> Next:
        return self.waiting.pop(0)

    def respond(self, request_id: str, *pieces: bytes) -> None:
        self.answered[request_id] = pieces

    def fail(self, request_id: str, error: Exception) -> None:
        self.failed[request_id] = error


def answer_all(events: Events, tmp_path: Any) -> Events:
    async def work(gateway: Gateway) -> None:
        reporter = Reporter(
            Counters(), tmp_path, environment="dev", process=1, programs=lambda: {"iipsrv": 1.0}
        )
        service = cast("Any", SimpleNamespace(gateway=gateway, reporter=reporter))
        while events.waiting:
            await answer_next(service, events)

    Bench().run(work)
    return events


def test_an_event_is_answered_as_the_gateway_answers_the_request(tmp_path: Any) -> None:
    direct = Bench().ask(TILE)
    done = answer_all(Events(event(TILE)), tmp_path)
    prelude, body = done.answered["request-0"]
    document = json.loads(prelude.removesuffix(bytes(8)))
    assert document["statusCode"] == direct.status
    assert document["headers"]["etag"] == dict(direct.headers)["etag"]
    assert BASE in document["headers"]["link"]
    assert body == direct.body


def test_an_event_that_is_no_request_fails_and_the_next_is_answered(tmp_path: Any) -> None:
    done = answer_all(Events({"Records": []}, None, event(TILE)), tmp_path)
    assert set(done.failed) == {"request-0", "request-1"}
    assert set(done.answered) == {"request-2"}


def test_each_event_leaves_a_line_with_the_fields_of_nginx_and_the_metrics(
    tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="vitrine.deliver.metrics"):
        answer_all(Events(event(TILE, x_viewer_address="192.0.2.1")), tmp_path)
    (line,) = [record for record in caplog.records if record.getMessage() == MESSAGE]
    fields = cast("Any", line).fields
    assert fields["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Vitrine/Gateway"
    assert (fields["status"], fields["method"], fields["uri"]) == (200, "GET", TILE)
    assert (fields["viewer"], fields["edge_request"]) == ("192.0.2.1", "edge-1")
    assert fields["bytes"] == len(Bench().ask(TILE).body)
