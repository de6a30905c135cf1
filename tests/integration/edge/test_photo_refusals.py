"""A page sees why its photograph was refused, no matter who refuses it in the place of the door."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rigs.free_port import free_port
from stacks.constructs.edge_function_code import FUNCTIONS
from tests.integration.edge.edge_client import EdgeClient
from tests.rigs.http_server import QuietHandler, run_server
from vitrine.local.edge.edge import command, write_configuration

OWN_HEADERS = {"Access-Control-Allow-Origin": "*", "Access-Control-Max-Age": "1"}

PREFLIGHTS: list[str] = []
"""Paths of the preflights that came as far as the door."""


class Refusing(QuietHandler):
    """Refuses as API Gateway does, which says nothing of CORS, or as the door, which does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        said = OWN_HEADERS if self.headers.get("content-type") == "image/jpeg" else {}
        self.send(429, {**said, "Retry-After": "9"}, b'{"message":"Too Many Requests"}')

    def do_OPTIONS(self) -> None:
        PREFLIGHTS.append(self.path)
        self.send_response(204)
        self.end_headers()


@contextmanager
def edge_of_door(folder: Path, behind: int, *, by_function: bool) -> Iterator[EdgeClient]:
    """Run an edge whose photo door is a Lambda or a task at the port `behind`."""
    port = free_port()
    path = write_configuration(
        folder,
        port=port,
        origin_port=behind,
        emulator_port=behind,
        site_bucket="none",
        functions=FUNCTIONS,
        photo_door=True,
        photo_api="door" if by_function else "",
    )
    with subprocess.Popen(command(path)) as nginx:
        try:
            edge = EdgeClient(port)
            deadline = time.monotonic() + 20
            while True:
                try:
                    edge.ask("/nowhere")
                    break
                except ConnectionError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            yield edge
        finally:
            nginx.terminate()


@pytest.fixture(scope="module", params=["function", "task"])
def edge(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EdgeClient]:
    with run_server(Refusing) as behind:
        folder = tmp_path_factory.mktemp(request.param)
        by_function = request.param == "function"
        with edge_of_door(folder, behind, by_function=by_function) as client:
            yield client


@pytest.mark.parametrize("sent", ["image/jpeg", "image/png"])
def test_a_page_may_read_any_refusal_and_when_to_try_again(edge: EdgeClient, sent: str) -> None:
    answer = edge.ask("/photos", "POST", origin="https://museum.example", content_type=sent)
    assert answer.status == 429
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-expose-headers"] == "Retry-After"
    assert answer.headers["access-control-max-age"] == "86400"
    assert answer.headers["retry-after"] == "9"


def test_a_preflight_invokes_no_lambda(tmp_path: Path) -> None:
    PREFLIGHTS.clear()
    with run_server(Refusing) as behind:
        for by_function in (True, False):
            folder = tmp_path / str(by_function)
            with edge_of_door(folder, behind, by_function=by_function) as client:
                answer = client.ask("/photos", "OPTIONS", origin="https://museum.example")
            assert answer.status == 204
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
            assert answer.headers["access-control-allow-headers"] == "Authorization, Content-Type"
            assert answer.headers["access-control-max-age"] == "86400"
            assert ([] if by_function else ["/photos"]) == PREFLIGHTS
