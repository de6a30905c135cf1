"""A server whose answers are right in all that is looked at, or wrong in a chosen way."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pyvips

from loadtest.workload.catalogue import Image
from vitrine.errors import RequestError
from vitrine.iiif.address import Address, parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits

_LIMITS = Limits(area=10**12)


@cache
def jpeg(width: int, height: int) -> bytes:
    """A black picture: a share of all answers is decoded."""
    body: bytes = pyvips.Image.black(width, height).jpegsave_buffer(Q=50)
    return body


class AnsweringServer(ThreadingHTTPServer):
    """`asked` has the paths of each connection, in their order. What is asked for twice is a hit.

    An image called after a fault has it: `missing`, `page`, `larger`, `cut`, `short`, `hollow`.
    One called `open` has no length, and ends with its connection.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, images: Mapping[str, Image]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.images = images
        self.asked: list[list[str]] = []
        self.seen: set[str] = set()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def sequences(self) -> list[list[str]]:
        """What came over connections that images were asked for on."""
        return [paths for paths in self.asked if any("/iiif/" in path for path in paths)]

    def stop(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """Clients hang up when a run ends."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: AnsweringServer

    def setup(self) -> None:
        super().setup()
        self.asked: list[str] = []
        self.server.asked.append(self.asked)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        try:
            address = parse_address(self.path)
        except RequestError:
            address = None
        if address is None or address.identifier not in self.server.images:
            self._send(404, "text/plain", b"there is none")
            return
        image = self.server.images[address.identifier]
        if address.is_info:
            body = json.dumps({"id": "x", "width": image.width, "height": image.height}).encode()
            self._send(200, "application/json", body)
        else:
            self._picture(address, image)

    def _picture(self, address: Address, image: Image) -> None:
        request = parse_image_request(address.parameters, address.best_version())
        size = resolve(request, image.width, image.height, _LIMITS)
        body = jpeg(size.width, size.height)
        match image.identifier:
            case "missing":
                self._send(500, "text/plain", b"out of order")
            case "page":
                self._send(200, "text/html", b"<html>sorry</html>")
            case "larger":
                self._send(200, "image/jpeg", jpeg(size.width + 9, size.height))
            case "cut":
                self._send(200, "image/jpeg", body[:-1])
            case "hollow":
                # All that is looked at of every answer is right: header, length, end.
                self._send(200, "image/jpeg", body[: len(body) // 2] + body[-2:])
            case "short":
                self._send(200, "image/jpeg", body, length=f"{len(body) + 5}")
                self.close_connection = True
            case "open":
                self._send(200, "image/jpeg", body, length="")
                self.close_connection = True
            case _:
                self._send(200, "image/jpeg", body)

    def _send(self, status: int, kind: str, body: bytes, length: str | None = None) -> None:
        length = f"{len(body)}" if length is None else length
        head = f"HTTP/1.1 {status} .\r\nContent-Type: {kind}\r\n"
        head += f"Content-Length: {length}\r\n" if length else ""
        head += f"X-Cache: {'HIT' if self.path in self.server.seen else 'MISS'}\r\n\r\n"
        self.server.seen.add(self.path)
        self.wfile.write(head.encode() + body)

    def log_message(self, *_: Any) -> None:
        """Quietly."""


StartServer = Callable[[Iterable[Image]], AnsweringServer]
"""Starts one for these images; it stops when the test ends."""
