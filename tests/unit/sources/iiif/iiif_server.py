"""A IIIF server on this machine: manifests of both versions, image services, and misbehaviour."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from PIL import Image

from tests.rigs.http_server import QuietHandler, run_server

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class IiifServer:
    """`documents` by path; the information of `images` by the path of their service."""

    documents: dict[str, Any] = field(default_factory=dict)
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    trouble: Callable[[str], Answer | None] = lambda path: None
    """Answers in place of the server, if it wants to."""
    address: str = ""

    def answer(self, path: str, tag: str) -> Answer:
        self.requests.append(path)
        if found := self.trouble(path):
            return found
        if path in self.documents:
            body = json.dumps(self.documents[path]).replace("SERVER", self.address).encode()
            etag = f'"{hash(body)}"'
            return (304, {}, b"") if tag == etag else (200, {"ETag": etag}, body)
        for service, information in self.images.items():
            if path.startswith(f"{service}/"):
                return self._image(path.removeprefix(f"{service}/"), information)
        return 404, {}, b"<html>not here</html>"

    def _image(self, rest: str, information: dict[str, Any]) -> Answer:
        if rest == "info.json":
            shown = {name: value for name, value in information.items() if name != "answers"}
            return 200, {}, json.dumps(shown).encode()
        if size := information["answers"].get(unquote(rest)):
            return 200, {"Content-Type": "image/jpeg"}, jpeg(*size)
        return 404, {}, b""


def jpeg(width: int, height: int) -> bytes:
    """A small picture."""
    body = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(body, "JPEG")
    return body.getvalue()


def information(version: int, width: int, height: int, **more: Any) -> dict[str, Any]:
    """An info.json, and the requests for the whole image that a server with it answers."""
    whole = {1: "full/full/0/native.jpg", 2: "full/full/0/default.jpg", 3: "full/max/0/default.jpg"}
    return {
        "@context": f"http://iiif.io/api/image/{version}/context.json",
        "width": width,
        "height": height,
        "answers": {whole[version]: (width, height)},
        **more,
    }


def manifest3(path: str, *services: str) -> dict[str, Any]:
    """A manifest of version 3 with a page for each image service."""
    return {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"SERVER{path}",
        "type": "Manifest",
        "label": {"en": [f"Book {path}"]},
        "rights": "http://creativecommons.org/licenses/by/4.0/",
        "items": [_canvas3(path, number, one) for number, one in enumerate(services, start=1)],
    }


def _canvas3(path: str, number: int, service: str) -> dict[str, Any]:
    canvas = f"SERVER{path}/canvas/{number}"
    body = {
        "id": f"SERVER{service}/full/max/0/default.jpg",
        "type": "Image",
        "service": [{"id": f"SERVER{service}", "type": "ImageService3", "profile": "level2"}],
    }
    annotation = {"type": "Annotation", "motivation": "painting", "body": body, "target": canvas}
    items = [{"type": "AnnotationPage", "items": [annotation]}]
    return {"id": canvas, "type": "Canvas", "width": 40, "height": 30, "items": items}


def collection3(path: str, *members: tuple[str, str]) -> dict[str, Any]:
    """A collection of version 3 with (type, path) of its members."""
    items = [
        {"id": f"SERVER{inner}", "type": kind, "label": {"en": [inner]}} for kind, inner in members
    ]
    return {"id": f"SERVER{path}", "type": "Collection", "label": {"en": [path]}, "items": items}


@contextmanager
def iiif_server(server: IiifServer) -> Iterator[IiifServer]:
    """Let it answer on a free port of this machine."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            tag = self.headers.get("If-None-Match", "")
            self.send(*server.answer(self.path, tag))

    with run_server(Handler) as port:
        server.address = f"http://127.0.0.1:{port}"
        yield server
