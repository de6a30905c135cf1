"""Proposals of texts: asked of one program with limits, and never stored."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rigs.free_port import free_port
from tests.rigs.http_server import QuietHandler, run_server
from tests.unit.api.api_bench import BASE, ApiBench, code, content
from vitrine.api import text_proposals
from vitrine.api.text_proposals import TextProposer
from vitrine.settings.departments import Department

pytestmark = pytest.mark.enable_socket
ASKED = {"image": "one", "language": "en"}


class Program:
    """A program that answers what a test says."""

    def __init__(self) -> None:
        self.status, self.body, self.location = 200, b'{"text": " A seal. "}', ""
        self.received: list[Any] = []
        program = self

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                program.received.append(json.loads(self.rfile.read(length)))
                self.send_response(program.status)
                if program.location:
                    self.send_header("Location", program.location)
                self.end_headers()
                self.wfile.write(program.body)

        self.handler = Handler
        self.address = ""


@pytest.fixture
def program() -> Iterator[Program]:
    running = Program()
    with run_server(running.handler) as port:
        running.address = f"http://127.0.0.1:{port}/propose"
        yield running


@pytest.fixture
def helped(bench: ApiBench, program: Program) -> ApiBench:
    """An API that asks the program."""
    bench.services = replace(bench.services, proposer=TextProposer(program.address))
    return bench


def test_the_program_sees_a_picture_and_a_language_and_its_text_is_not_stored(
    helped: ApiBench, program: Program
) -> None:
    before = [entry.key for entry in helped.records.list_keys("", 10_000).entries]
    answered = helped.ask("POST", "/text-proposals", ASKED)
    assert (answered.status, content(answered)) == (200, {"text": "A seal."})
    picture = f"{BASE}/iiif/3/one/full/!1024,1024/0/default.jpg"
    assert program.received == [{"image": picture, "language": "en"}]
    assert [entry.key for entry in helped.records.list_keys("", 10_000).entries] == before


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (500, b"{}", "it answers 500"),
        (404, b"{}", "it answers 404"),
        (302, b"{}", "it answers 302"),
        (200, b"<html>", "no JSON"),
        (200, b"[" * 100_000, "too long"),
        (200, b"[" * 60_000, "no JSON"),
        (200, b"[]", 'no "text"'),
        (200, b'{"text": 1}', 'no "text"'),
        (200, b'{"text": "  "}', 'no "text"'),
        (200, b'{"text": "%s"}' % (b"x" * 5_001), "more than 5,000 characters"),
    ],
)
def test_an_answer_of_another_kind_is_no_proposal(
    helped: ApiBench, program: Program, status: int, body: bytes, reason: str
) -> None:
    program.status, program.body = status, body
    program.location = program.address
    answered = helped.ask("POST", "/text-proposals", ASKED)
    assert code(answered) == (424, "proposal-failed")
    assert reason in content(answered)["detail"]
    assert len(program.received) == 1


def test_a_program_that_is_not_there_or_too_slow_fails_in_time(
    bench: ApiBench, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/"
    bench.services = replace(bench.services, proposer=TextProposer(nobody))
    assert code(bench.ask("POST", "/text-proposals", ASKED)) == (424, "proposal-failed")
    monkeypatch.setattr(text_proposals, "ANSWER_SECONDS", -1)
    bench.services = replace(bench.services, proposer=TextProposer(program.address))
    answered = bench.ask("POST", "/text-proposals", ASKED)
    assert "too slowly" in content(answered)["detail"]


def test_nobody_is_asked_about_what_not_everybody_sees(helped: ApiBench, program: Program) -> None:
    helped.ask("PUT", "/access/one", {"access": "staff"}, if_match="*")
    assert code(helped.ask("POST", "/text-proposals", ASKED)) == (424, "proposal-failed")
    absent = ASKED | {"image": "nothing"}
    assert code(helped.ask("POST", "/text-proposals", absent)) == (404, "no-image")
    odd = ASKED | {"language": "English!"}
    assert code(helped.ask("POST", "/text-proposals", odd)) == (400, "body-invalid")
    departments = {"maps": Department(collections=("maps",), members=("arn:maps",))}
    helped.services = replace(helped.services, departments=departments)
    refused = helped.ask("POST", "/text-proposals", ASKED | {"image": "two"})
    assert code(refused) == (403, "collection-forbidden")
    assert not program.received


def test_without_a_program_the_answer_says_so(bench: ApiBench) -> None:
    assert code(bench.ask("POST", "/text-proposals", ASKED)) == (409, "proposals-missing")


def test_callers_learn_beforehand_whether_a_program_is_connected(
    bench: ApiBench, program: Program
) -> None:
    assert content(bench.ask("GET", "/caller"))["proposes_texts"] is False
    bench.services = replace(bench.services, proposer=TextProposer(program.address))
    assert content(bench.ask("GET", "/caller"))["proposes_texts"] is True
    assert not program.received
