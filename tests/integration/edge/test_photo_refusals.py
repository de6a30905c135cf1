"""A page sees why its photograph was refused, no matter who refuses it in the place of the door."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rigs.free_port import free_ports
from stacks.constructs.edge_function_code import FUNCTIONS
from tests.integration.edge.edge_client import EdgeClient
from vitrine.local.edge.edge import command, write_configuration

OWN_HEADERS = {"Access-Control-Allow-Origin": "*", "Access-Control-Max-Age": "1"}

PREFLIGHTS: list[str] = []
"""Paths of the preflights that came as far as the door."""


class Refusing(BaseHTTPRequestHandler):
    """Refuses as API Gateway does, which says nothing of CORS, or as the door, which does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        said = OWN_HEADERS if self.headers.get("content-type") == "image/jpeg" else {}
        body = b'{"message":"Too Many Requests"}'
        self.send_response(429)
        for name, value in {**said, "Retry-After": "9", "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def do_OPTIONS(self) -> None:
        PREFLIGHTS.append(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def edge_of_door(folder: Path, behind: int, *, by_function: bool) -> Iterator[EdgeClient]:
    """Run an edge whose photo door is a Lambda or a task at the port `behind`."""
    (port,) = free_ports(1)
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
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as behind:
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        folder = tmp_path_factory.mktemp(request.param)
        by_function = request.param == "function"
        with edge_of_door(folder, behind.server_port, by_function=by_function) as client:
            yield client
        behind.shutdown()


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
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as behind:
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        for by_function in (True, False):
            folder = tmp_path / str(by_function)
            with edge_of_door(folder, behind.server_port, by_function=by_function) as client:
                answer = client.ask("/photos", "OPTIONS", origin="https://museum.example")
            assert answer.status == 204
            assert answer.headers["access-control-allow-origin"] == "*"
            assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
            assert answer.headers["access-control-allow-headers"] == "Authorization, Content-Type"
            assert answer.headers["access-control-max-age"] == "86400"
            assert ([] if by_function else ["/photos"]) == PREFLIGHTS
        behind.shutdown()
