"""Somebody else's server: the image of its manifest names the museum's token service.

Viewers hand the museum's token to the server of the image that named the service.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.access_museum import Museum
from tests.rigs.http_server import QuietHandler, run_server

PRESENTATION = "http://iiif.io/api/presentation/2/context.json"
IMAGE = "http://iiif.io/api/image/2/context.json"
AUTHENTICATION = "http://iiif.io/api/auth/1"
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
"""Addresses of this machine: that of browsers, and one that none has."""


@dataclass
class Foreigner:
    """The server, and what it was sent."""

    base: str
    museum: Museum
    tokens: list[str] = field(default_factory=list)
    """Authorization headers."""
    refused: threading.Event = field(default_factory=threading.Event)
    """Set once a viewer has been refused the image's information, as it sent no token."""

    @property
    def manifest(self) -> str:
        return f"{self.base}/manifest.json"

    def information(self) -> dict[str, Any]:
        """Return image information that needs no click: the service is an `external` one."""
        token = f"{self.museum.base}/auth/staff/token/1"
        service = {
            "@context": f"{AUTHENTICATION}/context.json",
            "@id": f"{self.base}/login",
            "profile": f"{AUTHENTICATION}/external",
            "label": "Please wait",
            "service": [{"@id": token, "profile": f"{AUTHENTICATION}/token"}],
        }
        return {
            "@context": IMAGE,
            "@id": f"{self.base}/image",
            "protocol": "http://iiif.io/api/image",
            "width": 800,
            "height": 600,
            "profile": ["http://iiif.io/api/image/2/level1.json"],
            "tiles": [{"width": 256, "scaleFactors": [1, 2]}],
            "service": service,
        }

    def describe(self) -> dict[str, Any]:
        """Return a manifest that shows the image."""
        size = {"width": 800, "height": 600}
        resource = {
            "@id": f"{self.base}/image/full/full/0/default.jpg",
            "@type": "dctypes:Image",
            "service": self.information(),
            **size,
        }
        image = {
            "@type": "oa:Annotation",
            "motivation": "sc:painting",
            "on": f"{self.base}/canvas",
            "resource": resource,
        }
        canvas = {
            "@id": f"{self.base}/canvas",
            "@type": "sc:Canvas",
            "label": "1",
            "images": [image],
            **size,
        }
        return {
            "@context": PRESENTATION,
            "@id": self.manifest,
            "@type": "sc:Manifest",
            "label": "A nice picture",
            "sequences": [{"@type": "sc:Sequence", "canvases": [canvas]}],
        }


@contextmanager
def run_foreigner(museum: Museum) -> Iterator[Foreigner]:
    """Run the server."""

    class Handler(QuietHandler):
        def do_OPTIONS(self) -> None:
            self._send(204, None)

        def do_GET(self) -> None:
            if self.path.endswith("manifest.json"):
                return self._send(200, foreigner.describe())
            if not self.path.endswith("info.json"):
                return self._send(404, None)
            sent = self.headers.get("authorization", "")
            if sent:
                foreigner.tokens.append(sent)
            else:
                foreigner.refused.set()
            return self._send(200 if sent else 401, foreigner.information())

        def _send(self, status: int, content: Any) -> None:
            headers = {
                "access-control-allow-origin": "*",
                "access-control-allow-headers": "*, authorization",
                "content-type": "application/json",
            }
            self.send(status, headers, b"" if content is None else json.dumps(content).encode())

    with run_server(Handler) as port:
        foreigner = Foreigner(f"http://localhost:{port}", museum)
        yield foreigner


def ask_from(source: str, address: str, **headers: str) -> tuple[int, bytes]:
    """Return the status and the body that a machine with another address gets."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, source_address=(source, 0))
    try:
        connection.request("GET", parts.path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
