"""Levels of a pyramid, and requests for derivatives of it."""

from dataclasses import dataclass

from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3


@dataclass(frozen=True)
class Level:
    width: int
    height: int


def halved(width: int, height: int, *, up: bool) -> list[Level]:
    levels = [Level(width, height)]
    while max(width, height) > 256:
        width, height = (width + up) // 2, (height + up) // 2
        levels.append(Level(max(width, 1), max(height, 1)))
    return levels


def request(path: str, width: int, height: int) -> ResolvedRequest:
    parsed = parse_image_request(tuple(path.split("/")), V3)
    return resolve(parsed, width, height, Limits(area=10**12))
