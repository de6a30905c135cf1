"""What a target is a part of: a canvas of the object, or the image that one of them shows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from vitrine.errors import RequestError, TextRefused
from vitrine.iiif.address import parse_address
from vitrine.iiif.presentation.model import Canvas
from vitrine.text.transcription.page_text import CanvasSize

SHOWN = 200
"""Characters of a name in a reason."""
_CANVAS = re.compile(r"(?:https?://[^/]+)?/presentation/[23]/([^/]+)/canvas/([1-9][0-9]{0,4})")
_SERVER = re.compile(r"https?://[^/]+")


@dataclass(frozen=True)
class TargetCanvas:
    """The canvas that a target is on."""

    number: int
    """From 1."""
    has_pixels: bool = True
    """False if the target is a picture that may have another size than the canvas."""


@dataclass(frozen=True)
class Pages:
    """The canvases of an object that a file has annotations of."""

    identifier: str
    """Identifier of the object."""
    sizes: Mapping[int, CanvasSize]
    """Sizes by the number of the canvas, from 1."""
    canvases: Mapping[int, Canvas] = field(default_factory=dict)
    """All of the object, likewise: a target may name the image of one."""

    def find(self, source: str) -> TargetCanvas:
        """Return the canvas that a target is on; a file of one may leave it out.

        Raises TextRefused for one that is not among them.
        """
        if not source and len(self.sizes) == 1:
            return TargetCanvas(next(iter(self.sizes)))
        found = _CANVAS.fullmatch(source)
        if found and unquote(found[1]) == self.identifier and int(found[2]) in self.sizes:
            return TargetCanvas(int(found[2]))
        if not source:
            raise TextRefused("canvas", "its target names no canvas, and the file is for several")
        return self._find_image(source) or self._refuse(source)

    def _find_image(self, source: str) -> TargetCanvas | None:
        """Return the canvas that shows an image; None for the image of no canvas."""
        name, parameters = _read_image(source)
        shown = [
            number
            for number, canvas in self.canvases.items()
            if (name and canvas.image == name) or _is_elsewhere(canvas, source)
        ]
        if not shown:
            return None
        if len(shown) > 1:
            several = ", ".join(map(str, shown[:3])) + ("…" if len(shown) > 3 else "")
            sentence = f"its target {source[:SHOWN]!r} is an image of several canvases: {several}"
            raise TextRefused("canvas", f"{sentence}. It has to name one of them")
        if shown[0] not in self.sizes:
            self._refuse(source)
        if parameters and (parameters[0], parameters[2]) != ("full", "0"):
            sentence = f"its target {source[:SHOWN]!r} is a part of an image, or a turned one"
            raise TextRefused("picture", f"{sentence}: it has to name the canvas, and a part of it")
        picture = self.canvases[shown[0]].elsewhere
        is_picture = bool(parameters) or bool(picture and picture.address == source)
        return TargetCanvas(shown[0], has_pixels=not is_picture)

    def _refuse(self, source: str) -> TargetCanvas:
        expected = ", ".join(map(str, list(self.sizes)[:3])) + ("…" if len(self.sizes) > 3 else "")
        raise TextRefused(
            "canvas",
            f"its target {source[:SHOWN]!r} is neither a canvas that the file is for nor the image "
            f"of one: /presentation/3/{self.identifier}/canvas/ with {expected}",
        )


def _read_image(source: str) -> tuple[str, tuple[str, ...]]:
    """Return the image that an address of the image service is of, and which picture of it.

    The address counts by its path, on whichever server; "" for another one.
    """
    try:
        address = parse_address(_SERVER.sub("", source, count=1))
    except RequestError:
        return "", ()
    if address is None:
        return "", ()
    return address.normalised_identifier, address.parameters if len(address.parameters) > 1 else ()


def _is_elsewhere(canvas: Canvas, source: str) -> bool:
    """Return whether an address is that of an image on another server, or of its service."""
    image = canvas.elsewhere
    if image is None:
        return False
    service = source.removesuffix("/info.json").rstrip("/")
    return source == image.address or bool(image.service and service == image.service.rstrip("/"))
