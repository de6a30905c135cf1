"""An edge nginx in front of two stand-ins that show what reached them."""

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rigs.free_port import free_port
from tests.patience import SECONDS, until
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.local.edge.edge import command, write_configuration

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Upstream:
    """A server that gives the answer set by the test and records its requests."""

    port: int = 0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    padding: int = 0
    """Bytes that make the answer longer."""
    server: ThreadingHTTPServer | None = None
    received: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def serve(self) -> ThreadingHTTPServer:
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_GET(self) -> None:
                if upstream.server is None:
                    self.close_connection = True  # one that was kept open outlives the server
                    return
                upstream.received.append(
                    (self.path, {k.lower(): v for k, v in self.headers.items()})
                )
                time.sleep(upstream.delay_seconds)
                body = json.dumps({"path": self.path, "count": len(upstream.received)}).encode()
                body += b" " * upstream.padding
                self.send_response(upstream.status)
                for name, value in upstream.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else body)

            do_HEAD = do_OPTIONS = do_PUT = do_GET

            def log_message(self, *_: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port, self.server = server.server_port, server
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def stop(self) -> None:
        """Let nobody answer at the port any more."""
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None


@dataclass
class Edge:
    """The edge under test."""

    port: int
    directory: Path
    origin: Upstream
    emulator: Upstream

    def ask(self, path: str, method: str = "GET", **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer: HTTPResponse = connection.getresponse()
            names = {
                name.lower(): ", ".join(answer.headers.get_all(name, [])) for name in answer.headers
            }
            return answer.status, names, answer.read()
        finally:
            connection.close()


def wait_for(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Wait until the edge listens, as long as it lives."""

    def listens() -> bool:
        assert process.poll() is None, "the edge did not start"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(listens)


@contextmanager
def run_edge(
    directory: Path, origin: Upstream, emulator: Upstream, **options: Any
) -> Iterator[Edge]:
    """Run an edge with these options of `write_configuration`."""
    port = free_port()
    configuration = write_configuration(
        directory,
        port=port,
        origin_port=origin.port,
        emulator_port=emulator.port,
        site_bucket="site-bucket",
        **{"functions": FUNCTIONS, **options},
    )
    path = f"{os.environ['PATH']}:/usr/sbin"  # where Debian keeps nginx
    with subprocess.Popen(command(configuration), env={"PATH": path}) as process:
        try:
            wait_for(process, port)
            yield Edge(port, directory, origin, emulator)
        finally:
            process.terminate()
            process.wait(SECONDS)
