"""The kinds of answers that are compared, and their addresses. All random places are seeded."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target, whole_target

_SEED = 17
_PLACES = 20
"""Regions of a kind in each picture."""
_MAX_NATIVE_PIXELS = 25_000_000
"""Pixels of a picture that is requested as it is: our own limit, `maximum_output_pixels`."""

Box = tuple[int, int, int, int]


class Sized(Protocol):
    """An image of any kind; sides in pixels of full resolution."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


@dataclass(frozen=True, kw_only=True)
class RequestKind:
    """Answers that are measured together."""

    side: int = 0
    """Side of the box into which the whole image is fitted, pixels; 0: a region, or all of it."""
    region: int = 0
    """Side of a square region, pixels; 0: the whole image."""
    result: int = 0
    """Side of the square that a region becomes, pixels."""
    rotation: int = 0
    gray: bool = False
    aligned: bool = False
    """True for tiles: regions lie on the grid of the level that has them as they are stored."""
    info: bool = False
    """True for the image information."""

    @property
    def rendered(self) -> bool:
        """True unless nothing is decoded."""
        return not self.aligned and not self.info

    def requests(self, image: "Sized") -> list["RenderRequest"]:
        """Return different requests for one image; none if it is not large enough."""
        return list(self._draw_requests(image.width, image.height))

    def _draw_requests(self, width: int, height: int) -> Iterator["RenderRequest"]:
        if self.region:
            rng = random.Random(f"{_SEED}/{self.region}/{self.result}")
            step = self.region if self.aligned else 1
            columns, rows = (range(0, side - self.region, step) for side in (width, height))
            count = min(_PLACES, len(columns) * len(rows))
            for place in rng.sample(range(len(columns) * len(rows)), count):
                x, y = columns[place % len(columns)], rows[place // len(columns)]
                yield RenderRequest(kind=self, box=(x, y, self.region, self.region))
        elif max(width, height) >= self.side and (
            self.info or self.side or width * height <= _MAX_NATIVE_PIXELS
        ):
            yield RenderRequest(kind=self, box=(0, 0, width, height))


@dataclass(frozen=True, kw_only=True)
class RenderRequest:
    """One answer."""

    kind: RequestKind
    box: Box
    """x, y, width, height in pixels of full resolution."""

    def target(self, image: Image, label: str) -> Target:
        """Return its address on a server, and the size that the answer must have."""
        kind, (x, y, width, height) = self.kind, self.box
        if kind.info:
            return Target(label, f"{image.base}/info.json", image)
        if kind.region:
            region, size = f"{x},{y},{width},{height}", f"{kind.result},{kind.result}"
            width = height = kind.result
        elif kind.side:
            region, size = "full", f"!{kind.side},{kind.side}"
            fitted = whole_target(image, kind.side)
            width, height = fitted.width, fitted.height
        else:
            region = size = "full"
        if kind.rotation in (90, 270):
            width, height = height, width
        quality = "gray" if kind.gray else "default"
        path = f"{image.base}/{region}/{size}/{kind.rotation}/{quality}.jpg"
        return Target(label, path, image, self.box, width, height, exact=False)


KINDS: Mapping[str, RequestKind] = {
    "info.json": RequestKind(info=True),
    "tile": RequestKind(region=256, result=256, aligned=True),
    "tile, a fourth": RequestKind(region=1024, result=256, aligned=True),
    "!90": RequestKind(side=90),
    "!128": RequestKind(side=128),
    "!200": RequestKind(side=200),
    "!400": RequestKind(side=400),
    "!1024": RequestKind(side=1024),
    "!3000": RequestKind(side=3000),
    "!4096": RequestKind(side=4096),
    "region 1000 to 512": RequestKind(region=1000, result=512),
    "region 2000 to 500": RequestKind(region=2000, result=500),
    "region 512, unscaled": RequestKind(region=512, result=512),
    "!1024, turned by 90": RequestKind(side=1024, rotation=90),
    "!400, gray": RequestKind(side=400, gray=True),
    "region 300 to ^600": RequestKind(region=300, result=600),
    "native size": RequestKind(),
}
"""Kinds of requests by the labels of their rows. Other regions lie anywhere, so that they fit no
grid of tiles."""
