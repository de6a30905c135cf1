"""The Runtime API that feeds events to a Lambda's program.

(Lambda, "Using the Lambda runtime API for custom runtimes".) One event at a time, as in Lambda.
"""

import json
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

SECONDS = 60.0
"""The longest that a start or an answer may take."""
_PRELUDE_END = bytes(8)


class FunctionAnswer(NamedTuple):
    """What a Lambda streamed, or returned as a whole (200)."""

    status: int
    body: bytes


class RuntimeServer(ThreadingHTTPServer):
    """Lambda's Runtime API on a port of this machine, for one process."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _RuntimeHandler)
        self.events: queue.Queue[bytes] = queue.Queue()
        self.answers: queue.Queue[FunctionAnswer] = queue.Queue()
        self.idle: queue.Queue[None] = queue.Queue()
        """One item for each time that the process asked for an event."""
        self.failure = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Answer the process in the `with` block."""
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield
        finally:
            self.shutdown()
            self.server_close()


class _RuntimeHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: RuntimeServer

    def do_GET(self) -> None:
        self.server.idle.put(None)
        event = self.server.events.get()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", "1")
        self.send_header("Content-Length", str(len(event)))
        self.end_headers()
        self.wfile.write(event)

    def do_POST(self) -> None:
        body = self._read_body()
        if self.path.endswith("/response"):
            head, streams, rest = body.partition(_PRELUDE_END)
            status = json.loads(head)["statusCode"] if streams else 200
            self.server.answers.put(FunctionAnswer(status, rest if streams else body))
        else:
            self.server.failure = body.decode()
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def log_message(self, *_: object) -> None:
        """Say nothing: there is a line for each event otherwise."""


def request_event(path: str) -> dict[str, Any]:
    """Return the event of a function URL, payload format 2.0, as the edge's function sends it."""
    headers = {
        "host": "abc.lambda-url.eu-west-1.on.aws",
        "x-public-base": "https://images.example.org",
        "x-request-uri": path,
    }
    http = {"method": "GET", "path": path, "protocol": "HTTP/1.1"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers,
        "requestContext": {"http": http},
        "isBase64Encoded": False,
    }
