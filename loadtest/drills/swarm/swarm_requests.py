"""The requests of a swarm: each costs as much as an address can, and none comes twice."""

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import NamedTuple

from loadtest.drills.swarm.swarm_images import SwarmImages
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target

FULL, COLD, COLD_FULL, UNKNOWN = "full size", "cold", "cold full size", "unknown"
WEIGHTS = {FULL: 0.3, COLD: 0.2, COLD_FULL: 0.2, UNKNOWN: 0.3}
"""Full-size renders of images that are open, small and full-size ones of images that are not, and
names that no image has. In a museum's log 27 % were full images (../adr/0026)."""
MAX_PIXELS = 24_000_000
MARGIN = 400
"""Pixels that a region may leave out at its left and top: 160,000 regions of each image."""
SMALL = (600, 1_900)
"""Least and most pixels across of a small render, whatever sizes are listed."""


class SwarmRequest(NamedTuple):
    """One request, and the address that the edge would write for its sender."""

    target: Target
    viewer: str


def swarm_requests(images: SwarmImages, addresses: int, seed: int) -> Iterator[SwarmRequest]:
    """Yield requests without end, each by the next of `addresses` addresses."""
    random = Random(seed)
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    known = images.known.images
    cold = (images.cold.nth(number) for number in count())
    for number in count():
        kind = random.choices(kinds, weights)[0]
        if kind == UNKNOWN:
            base = known[0].base.rpartition("/")[0]
            name = f"unknown-{seed}-{number}.tif"
            target = Target(kind, f"{base}/{name}/full/600,/0/default.jpg")
        elif kind == COLD:
            target = _small_target(next(cold), kind, random)
        else:
            image = random.choice(known) if kind == FULL else next(cold)
            target = _full_size(image, kind, random)
        yield SwarmRequest(target, viewer_address(number % addresses))


def viewer_address(number: int) -> str:
    """Return one of 16 million addresses, neighbours in different networks."""
    spread = number * 7_919 % (1 << 24)
    return f"10.{spread & 255}.{spread >> 8 & 255}.{spread >> 16}"


def _full_size(image: Image, kind: str, random: Random) -> Target:
    """Return a region that only this request asks for, at full size or the largest allowed."""
    x, y = random.randrange(MARGIN), random.randrange(MARGIN)
    width, height = image.width - x, image.height - y
    out = min(width, int((MAX_PIXELS * width / height) ** 0.5))
    path = f"{image.base}/{x},{y},{width},{height}/{out},/0/default.jpg"
    return Target(kind, path, image)


def _small_target(image: Image, kind: str, random: Random) -> Target:
    """Return the whole image at a size that its information does not list."""
    width = random.randint(*SMALL)
    return Target(kind, f"{image.base}/full/{width},/0/default.jpg", image)
