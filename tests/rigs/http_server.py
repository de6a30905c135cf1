"""Small servers of HTTP on a free port of this machine, which answer in the test's own process."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class QuietHandler(BaseHTTPRequestHandler):
    """Writes no log."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Stay silent."""

    def send(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        """Answer with a body, whose length is said unless the headers say another one."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _FileHandler(QuietHandler, SimpleHTTPRequestHandler):
    """Serves a folder."""


@contextmanager
def run_server(handler: Callable[..., BaseHTTPRequestHandler], port: int = 0) -> Iterator[int]:
    """Let a handler answer until the block ends; yield the port, by default a free one."""
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def serve_folder(folder: Path) -> AbstractContextManager[int]:
    """Serve the files of a folder, which may be made later; yields the port."""
    return run_server(partial(_FileHandler, directory=str(folder)))
