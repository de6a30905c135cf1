"""The health of the parts, asked of real processes and sockets."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, TCPServer, UnixStreamServer
from threading import Thread

import pytest

from vitrine.bootstrap.local_service import LocalService
from vitrine.local import health
from vitrine.local.process import Process, read_notes, start, stop_all

READY = {"store": "ok", "identifiers": "ok"}


class _Answer(BaseHTTPRequestHandler):
    status = 200
    checks = READY
    notices = READY

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(json.dumps({"checks": self.checks, "notices": self.notices}).encode())

    def log_message(self, *_: object) -> None:
        pass


class _Machine:
    """Five processes, three servers and two sockets that stand for the service."""

    def __init__(self, directory: Path, cleanup: ExitStack) -> None:
        self.directory = directory
        self._cleanup = cleanup
        sockets = directory / "task" / "work" / "run"
        sockets.mkdir(parents=True)
        self.handlers = {name: type(name, (_Answer,), {}) for name in ("edge", "nginx", "emulator")}
        unix = {"address_string": lambda self: ""}
        self.gateways = [type("gateway", (_Answer,), unix), type("gateway", (_Answer,), unix)]
        addresses = {name: self._serve(handler) for name, handler in self.handlers.items()}
        self.service = LocalService(
            stage="dev",
            region="us-east-1",
            edge_url=addresses["edge"],
            origin_url=addresses["nginx"],
            emulator_url=addresses["emulator"],
            logs="",
        )
        for number, gateway in enumerate(self.gateways, 1):
            self._run(UnixStreamServer(str(sockets / f"gateway-{number}.sock"), gateway))
        self._run(UnixStreamServer(str(sockets / "iipsrv.sock"), BaseRequestHandler))
        for name in health.PROCESSES:
            item = Process(
                name=name,
                command=(sys.executable, "-c", "import time; time.sleep(600)"),
                environment={},
                folder=directory,
                stop_seconds=1,
            )
            start(item, directory)
        cleanup.callback(stop_all, directory)

    def problems(self) -> dict[str, str]:
        parts = health.check_parts(self.directory, self.service)
        return {part.name: part.problem for part in parts if part.problem}

    def kill(self, name: str) -> None:
        [pid] = [note.pid for note in read_notes(self.directory) if note.name == name]
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def _serve(self, handler: type[BaseHTTPRequestHandler]) -> str:
        server = HTTPServer(("127.0.0.1", 0), handler)
        self._run(server)
        return f"http://127.0.0.1:{server.server_port}"

    def _run(self, server: TCPServer | UnixStreamServer) -> None:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._cleanup.callback(server.server_close)
        self._cleanup.callback(server.shutdown)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[_Machine]:
    with ExitStack() as cleanup:
        yield _Machine(tmp_path, cleanup)


def test_a_service_that_answers_is_well(machine: _Machine) -> None:
    assert machine.problems() == {}
    assert [part.name for part in health.check_parts(machine.directory, machine.service)] == [
        *("edge", "nginx", "gateway", "iipsrv", "emulator", "timer", "disk")
    ]


@pytest.mark.parametrize("name", health.PROCESSES)
def test_a_killed_process_is_named_with_its_log(machine: _Machine, name: str) -> None:
    machine.kill(name)
    problems = machine.problems()
    assert list(problems) == [name]
    assert problems[name].startswith(
        f"It has ended; its log is {machine.directory}/logs/{name}.log"
    )


def test_a_gateway_that_lacks_something_says_what(machine: _Machine) -> None:
    for gateway in machine.gateways:
        gateway.checks = READY | {"store": "no answer in 4 s"}
    assert machine.problems() == {"gateway": "It cannot reach store: no answer in 4 s."}


def test_an_edge_that_answers_with_errors_is_not_well(machine: _Machine) -> None:
    machine.handlers["edge"].status = 502
    assert machine.problems() == {"edge": "It answers 502."}


def test_a_socket_that_takes_no_connection_is_not_well(machine: _Machine) -> None:
    (machine.directory / "task" / "work" / "run" / "iipsrv.sock").unlink()
    assert list(machine.problems()) == ["iipsrv"]


def test_little_free_disk_is_a_problem(machine: _Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LOW_MEBIBYTES", 10**9)
    assert machine.problems()["disk"].startswith("Only ")


def test_what_was_never_started_is_named(machine: _Machine, tmp_path: Path) -> None:
    (tmp_path / "run" / "iipsrv.json").rename(tmp_path / "iipsrv.json")
    assert machine.problems()["iipsrv"].startswith("It was not started")
    (tmp_path / "iipsrv.json").rename(tmp_path / "run" / "iipsrv.json")


def test_a_cache_that_the_gateway_does_without_is_named(machine: _Machine) -> None:
    notices = {"block_cache": "cannot be written (full)", "derivative_cache": "ok"}
    machine.gateways[1].notices = notices
    named = "gateway-2: Its block cache cannot be written (full)."
    assert machine.problems() == {"gateway": named}


def test_each_process_of_the_gateway_is_asked(machine: _Machine) -> None:
    (machine.directory / "task" / "work" / "run" / "gateway-1.sock").unlink()
    (machine.directory / "task" / "work" / "run" / "gateway-1.sock").touch()
    problem = machine.problems()["gateway"]
    assert problem.startswith("gateway-1: It does not answer")
    assert "gateway-2" not in problem
