"""A server that has every answer ready: `python -m loadtest.studies.generator.null_server`.

It prints its port. Pictures are black and have exactly the requested size, so that the
generator looks at them as at any others; one address is answered from memory from the second time
on, and one size is encoded once.
"""

import asyncio
import json
from functools import cache

import pyvips
import uvloop

from vitrine.errors import RequestError
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits

WIDTH, HEIGHT = 6_000, 4_000
"""Size of every image, in pixels."""
_LIMITS = Limits(area=10**12)
_END = b"\r\n\r\n"


class NullServer(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep it."""
        self._transport = transport  # type: ignore[assignment]  # uvloop's own is no subclass

    def data_received(self, data: bytes) -> None:
        """Answer every complete request."""
        self._received += data
        while _END in self._received and self._transport:
            head, _, self._received = self._received.partition(_END)
            self._transport.write(answer(head.split(b" ", 2)[1]))


@cache
def answer(path: bytes) -> bytes:
    """Head and body for an address; 404 for what is no address of an image."""
    try:
        address = parse_address(path.decode("ascii"))
        if address is None:
            return _response(404, b"text/plain", b"there is none")
        if address.is_info:
            document = {"id": "x", "width": WIDTH, "height": HEIGHT}
            return _response(200, b"application/json", json.dumps(document).encode())
        request = parse_image_request(address.parameters, address.best_version())
        size = resolve(request, WIDTH, HEIGHT, _LIMITS)
    except (RequestError, UnicodeDecodeError) as error:
        return _response(400, b"text/plain", str(error).encode())
    return _response(200, b"image/jpeg", _picture(size.width, size.height))


@cache
def _picture(width: int, height: int) -> bytes:
    body: bytes = pyvips.Image.black(width, height, bands=3).jpegsave_buffer(Q=50)
    return body


def _response(status: int, media_type: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 %d .\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
    return head % (status, media_type, len(body)) + body


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(NullServer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve until killed."""
    uvloop.run(_serve())


if __name__ == "__main__":
    main()
