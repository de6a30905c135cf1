"""CPU of a task's containers, from answers of the form that ECS documents."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from vitrine.adapters.aws.task_stats import read_container_cpu

ANSWERS = {
    "/v4/abc/task": {
        "Containers": [
            {"DockerId": "a-1", "Name": "gateway"},
            {"DockerId": "a-2", "Name": "iipsrv"},
            {"DockerId": "a-3", "Name": "nginx"},
        ]
    },
    "/v4/abc/task/stats": {
        "a-1": {"cpu_stats": {"cpu_usage": {"total_usage": 2_500_000_000}}},
        "a-2": {"cpu_stats": {"cpu_usage": {"total_usage": 40_000_000_000}}},
        # The first second of a container has no figures.
        "a-3": None,
    },
}


class Agent(BaseHTTPRequestHandler):
    """Answers as ECS's agent does."""

    def do_GET(self) -> None:
        body = json.dumps(ANSWERS[self.path]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def agent() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Agent) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v4/abc"
        server.shutdown()
        thread.join()


@pytest.mark.enable_socket
def test_each_containers_cpu_is_read_by_its_name(agent: str):
    assert read_container_cpu(agent) == {"gateway": 2.5, "iipsrv": 40.0}


@pytest.mark.enable_socket
def test_an_agent_that_does_not_answer_costs_only_its_figures():
    assert read_container_cpu("http://127.0.0.1:9/v4/abc") == {}
