"""One HTTP server for all formats: `python -m loadtest.studies.formats.format_server PORT FOLDER`.

It answers the Image API 2 for every file of the folder, identified by its name, so that the
decoding of the format is the only thing that differs. It decodes the tiles that a region needs, at
the smallest level that has enough pixels, scales them (bicubic) and encodes a JPEG of quality 90,
4:4:4. `Server-Timing` tells the CPU time of decoding, and of the rest. It keeps no pixels.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
from PIL import Image

from loadtest.studies.formats.encoded_pyramid import Coded, Pixels, cut_level, open_coded
from vitrine.errors import RequestError
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2

QUALITY = 90
READY = "/ready"
_NO_LIMIT = Limits(area=1 << 40, side=1 << 20)


class _FormatServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(("127.0.0.1", port), _FormatHandler)
        self._folder = folder
        self._opened: dict[str, Coded] = {}

    def image(self, name: str) -> Coded:
        """Open a file once. Raises OSError without that file."""
        if name not in self._opened:
            self._opened[name] = open_coded(self._folder / Path(name).name)
        return self._opened[name]


class _FormatHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _FormatServer

    def do_GET(self) -> None:
        try:
            if self.path == READY:
                self._send_body(200, "text/plain", b"")
            else:
                self._answer_request()
        except RequestError as error:
            self._send_body(400, "text/plain", str(error).encode())
        except (OSError, KeyError) as error:
            self._send_body(404, "text/plain", str(error).encode())

    def _answer_request(self) -> None:
        address = parse_address(self.path)
        if address is None:
            raise FileNotFoundError(self.path)
        image = self.server.image(address.identifier)
        if address.is_info:
            self._send_body(200, "application/json", _information_bytes(self.path, image))
            return
        request = parse_image_request(address.parameters, V2)
        begun = time.thread_time()
        resolved = resolve(request, *image.levels[0], _NO_LIMIT)
        pixels = _decode_region(image, resolved)
        decoded = time.thread_time()
        body = _encode_answer(pixels, resolved)
        rest = time.thread_time() - decoded
        timing = f"decode;dur={1_000 * (decoded - begun):.3f}, rest;dur={1_000 * rest:.3f}"
        self._send_body(200, "image/jpeg", body, f"Server-Timing: {timing}\r\n")

    def _send_body(self, status: int, media_type: str, body: bytes, more: str = "") -> None:
        head = (
            f"HTTP/1.1 {status} .\r\nContent-Type: {media_type}\r\n"
            f"Content-Length: {len(body)}\r\n{more}\r\n"
        )
        self.wfile.write(head.encode() + body)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def _information_bytes(path: str, image: Coded) -> bytes:
    width, height = image.levels[0]
    side = image.tile_side(0)
    factors = [1 << level for level in range(len(image.levels))]
    document = {
        "@context": "http://iiif.io/api/image/2/context.json",
        "@id": path.removesuffix("/info.json"),
        "protocol": "http://iiif.io/api/image",
        "width": width,
        "height": height,
        "tiles": [{"width": side, "height": side, "scaleFactors": factors}],
        "profile": ["http://iiif.io/api/image/2/level1.json"],
    }
    return json.dumps(document).encode()


def _decode_region(image: Coded, requested: ResolvedRequest) -> Pixels:
    """Decode the region from the smallest level with at least the requested pixels."""
    full_width, full_height = image.levels[0]
    box, found = requested.region, (0, 0, 0, 0)
    level = 0
    for number, (width, height) in enumerate(image.levels):
        left, top = box.x * width // full_width, box.y * height // full_height
        right = -(-(box.x + box.width) * width // full_width)
        bottom = -(-(box.y + box.height) * height // full_height)
        if number and (right - left < requested.width or bottom - top < requested.height):
            break
        level, found = number, (left, top, right, bottom)
    return cut_level(image, level, found)


def _encode_answer(pixels: Pixels, requested: ResolvedRequest) -> bytes:
    if pixels.shape[:2] != (requested.height, requested.width):
        size = requested.width, requested.height
        pixels = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))
    body = imagecodecs.jpeg8_encode(
        pixels, QUALITY, colorspace="RGB", outcolorspace="YCBCR", subsampling="444"
    )
    return bytes(body)


def main() -> None:
    """Serve until it is ended."""
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    _FormatServer(port, folder).serve_forever()


if __name__ == "__main__":
    main()
