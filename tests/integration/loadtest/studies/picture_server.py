"""A server of pictures that are right, or wrong in a way that their name says."""

import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pyvips

from vitrine.errors import RequestError
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits

WIDTH, HEIGHT = 3_000, 2_000


@cache
def jpeg(width: int, height: int) -> bytes:
    body: bytes = pyvips.Image.black(width, height).jpegsave_buffer(Q=50)
    return body


class Answering(ThreadingHTTPServer):
    """Every image has the same size; what is asked for twice comes from a cache. One called
    `hollow` breaks off inside, with header and end as they should be; of one called `short` the
    server hangs up before the end; one called `larger` is; one called `open` has no length, and
    ends with its connection."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: dict[tuple[str, int], list[str]] = {}
        self.seen: set[str] = set()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def stop(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """Clients hang up when a run ends."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Answering

    def do_GET(self) -> None:
        self.server.asked.setdefault(self.client_address, []).append(self.path)
        try:
            address = parse_address(self.path)
        except RequestError:
            address = None
        if address is None:
            self._send("text/plain", b"hello")
        elif address.is_info:
            body = {"id": "x", "width": WIDTH, "height": HEIGHT}
            self._send("application/json", json.dumps(body).encode())
        else:
            request = parse_image_request(address.parameters, address.best_version())
            size = resolve(request, WIDTH, HEIGHT, Limits(area=10**12))
            self._picture(address.identifier, size.width, size.height)

    def _picture(self, identifier: str, width: int, height: int) -> None:
        more = 9 if identifier == "larger" else 0
        body = jpeg(width + more, height)
        if identifier in ("short", "open"):
            self.close_connection = True
            length = b"Content-Length: %d\r\n" % (len(body) + 1) if identifier == "short" else b""
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n" + length)
            self.wfile.write(b"\r\n" + body)
            return
        hollow = identifier == "hollow"
        self._send("image/jpeg", body[: len(body) // 2] + body[-2:] if hollow else body)

    def _send(self, media_type: str, body: bytes) -> None:
        state = "HIT" if self.path in self.server.seen else "MISS"
        self.server.seen.add(self.path)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nX-Cache: {state}\r\n"
        self.wfile.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def log_message(self, *_: Any) -> None:
        """Quiet."""
