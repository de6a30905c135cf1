"""The reader's own runtime: events of the Runtime API become answers, and faults are said."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from lambdas.read_pages import handler as step
from lambdas.read_pages import runtime
from vitrine.deliver.function.runtime_api import RuntimeApi
from vitrine.errors import TransientError

MESSAGE = json.dumps({"detail-type": "TextsRequested", "detail": {"identifier": "book"}})
EVENT = {"Records": [{"messageId": "m1", "body": MESSAGE}]}


class _RuntimeServer(HTTPServer):
    """Lambda's side: hands out one event, and keeps what comes back."""

    event: Any = EVENT
    answers: list[tuple[str, Any]]


class _Handler(BaseHTTPRequestHandler):
    server: _RuntimeServer

    def do_GET(self) -> None:
        body = json.dumps(self.server.event).encode()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", "r1")
        self.send_header("Lambda-Runtime-Deadline-Ms", "9999999999999")
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:x:1:function:f")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.answers.append((self.path, json.loads(body)))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def lambda_side(socket_enabled: None) -> Iterator[_RuntimeServer]:
    with _RuntimeServer(("127.0.0.1", 0), _Handler) as server:
        server.answers = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What was asked to be read, and whether there was time for it."""
    done: list[tuple[str, bool]] = []

    def read(services: object, identifier: str, time: Any, counts: Counter[str]) -> None:
        done.append((identifier, time.has_time()))
        if identifier == "claimed":
            return
        counts["pages_read"] += 2
        if identifier == "throttled":
            raise TransientError("throttled")

    monkeypatch.setattr(step, "ocr_services", object)
    monkeypatch.setattr(step, "read_object", read)
    return done


def test_an_object_is_read_and_its_message_is_done(
    lambda_side: _RuntimeServer, reading: list[tuple[str, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    runtime.answer_next(RuntimeApi(f"127.0.0.1:{lambda_side.server_port}"))
    assert reading == [("book", True)]
    [(path, answer)] = lambda_side.answers
    assert path.endswith("/invocation/r1/response")
    assert answer == {"batchItemFailures": []}
    assert '"PagesRead":[2.0]' in capsys.readouterr().out


def test_a_message_that_fails_comes_again_and_the_pages_that_were_read_are_counted(
    lambda_side: _RuntimeServer, reading: list[tuple[str, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"detail": {"identifier": "throttled"}})
    lambda_side.event = {"Records": [{"messageId": "m1", "body": body}]}
    runtime.answer_next(RuntimeApi(f"127.0.0.1:{lambda_side.server_port}"))
    assert lambda_side.answers[0][1] == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert '"PagesRead":[2.0]' in capsys.readouterr().out


def test_an_object_that_another_process_reads_counts_no_page(
    lambda_side: _RuntimeServer, reading: list[tuple[str, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"detail": {"identifier": "claimed"}})
    lambda_side.event = {"Records": [{"messageId": "m1", "body": body}]}
    runtime.answer_next(RuntimeApi(f"127.0.0.1:{lambda_side.server_port}"))
    assert lambda_side.answers[0][1] == {"batchItemFailures": []}
    assert "Pages" not in capsys.readouterr().out


def test_what_is_no_batch_of_messages_is_said_to_have_failed(
    lambda_side: _RuntimeServer, reading: list[tuple[str, bool]]
) -> None:
    lambda_side.event = {}
    runtime.answer_next(RuntimeApi(f"127.0.0.1:{lambda_side.server_port}"))
    [(path, answer)] = lambda_side.answers
    assert path.endswith("/invocation/r1/error")
    assert answer["errorType"] == "KeyError"
    assert reading == []


def test_without_time_for_a_page_none_is_begun(
    reading: list[tuple[str, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    context = runtime.Context("r", "arn", 0, "f", 1_769)
    step.handler(EVENT, context)
    assert reading == [("book", False)]
