"""A given share of answers from a cache, as in QIS's bench.py.

Source: Quru, QIS benchmarking page: `bench.py [num_requests] [cache_percent] [num_clients]`. A
fixed list of addresses is warmed first and repeated, with new addresses in between in the number
that gives the share. Equal parameters give equal requests: clear the caches before repeating a run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.request import Model, Rng, Step, Visitor
from loadtest.workload.target import Target, information_target, region_target, whole_target
from loadtest.workload.tiles import GridTile, tile_grid, tile_target

CACHED, NEW = "cached", "new"
IMAGES = 8
"""Number of different images of bench.py."""
_THUMBNAILS = (150, 200, 308)
_SCREENS = (640, 960)
_ORIGINAL = 2816
_Box = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class CachePercent:
    """Requests of which a fixed share, in per cent, was requested before."""

    needs_images: ClassVar[bool] = True
    ends: ClassVar[bool] = True

    requests: int = 1_000
    """Number of all requests."""
    cache_percent: int = 90
    """Per cent of the requests whose answer is in a cache."""
    only_warm: bool = False
    """End after the warming."""
    skip_warm: bool = False
    """Begin without it."""

    def __post_init__(self) -> None:
        if self.requests < 1:
            raise InvalidScenario(f"requests must be above 0, not {self.requests}")
        if not 0 <= self.cache_percent <= 100:
            raise InvalidScenario(f"cache_percent is 0 to 100, not {self.cache_percent}")
        if self.only_warm and self.skip_warm:
            raise InvalidScenario("only_warm and skip_warm together leave nothing to do")

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model of the first few images."""
        assert catalogue
        images = catalogue.images[:IMAGES]
        hot = _hot_targets(images)
        # None of these is repeated, so that nothing of them is worth warming.
        warm = [] if self.skip_warm or not self.cache_percent else list(dict.fromkeys(hot))
        requests = [] if self.only_warm else _spread_requests(self, hot, images, seed)
        return CacheList(warm, requests)


@dataclass(frozen=True)
class CacheList:
    """The requests that warm the cache, and those of the run itself."""

    warm: Sequence[Target]
    requests: Sequence[Target]

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        """Return one request: user by user in the order of the list, without time to think."""
        place = visitor.visits * visitor.users + visitor.number
        return (((self.requests[place],), 0.0),) if place < len(self.requests) else None


def _hot_targets(images: Sequence[Image]) -> list[Target]:
    """Per image three thumbnails, a crop, two sizes for the screen, two tiles, the original and
    the image information; image by image in turn, so that neighbours differ."""
    makers: list[Callable[[Image], Target]] = [
        *((lambda image, side=side: whole_target(image, side)) for side in _THUMBNAILS),
        lambda image: region_target(image, _middle_box(image), _THUMBNAILS[1], "crop"),
        *((lambda image, side=side: whole_target(image, side)) for side in _SCREENS),
        lambda image: tile_target(
            image, GridTile(0, *(count // 2 for count in tile_grid(image, 0)))
        ),
        lambda image: tile_target(
            image, GridTile(0, *(count - 1 for count in tile_grid(image, 0)))
        ),
        lambda image: whole_target(image, _ORIGINAL),
        information_target,
    ]
    targets = [
        makers[(turn + number) % len(makers)](image)
        for turn in range(len(makers))
        for number, image in enumerate(images)
    ]
    return [target._replace(kind=f"{CACHED} {target.kind}") for target in targets]


def _spread_requests(
    options: CachePercent, hot: Sequence[Target], images: Sequence[Image], seed: int
) -> list[Target]:
    """Spread the requests for something new as evenly as whole requests allow."""
    random = Random(f"{seed}/new").random
    requested = {target.path for target in hot}
    missing = 100 - options.cache_percent
    requests, new = [], 0
    for number in range(options.requests):
        if (number + 1) * missing // 100 > new:
            requests.append(_new_target(images[new % len(images)], new, requested, random))
            new += 1
        else:
            requests.append(hot[(number - new) % len(hot)])
    return requests


def _new_target(image: Image, number: int, requested: set[str], random: Rng) -> Target:
    """Return a thumbnail or a view for the screen, of a region not requested before. Raises
    InvalidScenario when an image is too small to have another."""
    sides = (*_THUMBNAILS, *_SCREENS)
    side = sides[number // len(sides) % len(sides)]
    for _ in range(1_000):
        x, y = int(random() * image.width / 4), int(random() * image.height / 4)
        width = image.width - x - int(random() * image.width / 4)
        height = image.height - y - int(random() * image.height / 4)
        target = region_target(image, (x, y, width, height), side, f"{NEW} {side}")
        if target.path not in requested:
            requested.add(target.path)
            return target
    raise InvalidScenario(
        f"image {image.identifier!r} is too small for this number of new requests: "
        "use larger images, fewer requests or a higher cache_percent"
    )


def _middle_box(image: Image) -> _Box:
    return image.width // 4, image.height // 4, -(-image.width // 2), -(-image.height // 2)
