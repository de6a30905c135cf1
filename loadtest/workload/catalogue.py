"""The images that a workload requests."""

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import gcd

from loadtest.errors import InvalidScenario
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import V3, VERSIONS

MEGA = 1_000_000
_TILE = 256


@dataclass(frozen=True)
class Image:
    """One image on some server. Sizes in pixels; `weight` says how often it is picked."""

    identifier: str
    width: int
    height: int
    weight: float = 1.0
    base: str = ""
    """Path of its base URI, percent-encoded; empty: as this service has it."""
    version: int = V3.number
    """Version of the Image API of `base`: 2 or 3."""
    tile_width: int = _TILE
    tile_height: int = _TILE
    levels: tuple[tuple[int, int], ...] = ()
    """Sizes from full resolution down, each half of the one before; empty: rounded up, until
    one tile holds all."""
    largest: tuple[int, int] = (0, 0)
    """The whole image as large as the server gives it out; (0, 0): unscaled."""

    def __post_init__(self) -> None:
        if not self.identifier:
            raise InvalidScenario("an image of the catalogue has no identifier")
        if self.width < 1 or self.height < 1 or self.weight <= 0:
            raise InvalidScenario(
                f"image {self.identifier!r}: width, height and weight must be above 0, "
                f"not {self.width}, {self.height} and {self.weight}"
            )
        if str(self.version) not in VERSIONS:
            raise InvalidScenario(
                f"image {self.identifier!r}: the Image API has no version {self.version} here; "
                f"there are {', '.join(VERSIONS)}"
            )
        if not self.base:
            base = image_path(VERSIONS[str(self.version)], self.identifier)
            object.__setattr__(self, "base", base)
        if not self.levels:
            object.__setattr__(self, "levels", self._halve_sizes())
        if not all(self.largest):
            object.__setattr__(self, "largest", (self.width, self.height))

    def _halve_sizes(self) -> tuple[tuple[int, int], ...]:
        sizes = [(self.width, self.height)]
        while sizes[-1][0] > self.tile_width or sizes[-1][1] > self.tile_height:
            scale = 1 << len(sizes)
            sizes.append((-(-self.width // scale), -(-self.height // scale)))
        return tuple(sizes)

    @cached_property
    def grids(self) -> tuple[tuple[int, int], ...]:
        """Columns and rows of tiles of each level."""
        return tuple(
            (-(-width // self.tile_width), -(-height // self.tile_height))
            for width, height in self.levels
        )

    @property
    def megapixels(self) -> float:
        """Millions of pixels."""
        return self.width * self.height / MEGA


@dataclass(frozen=True)
class Catalogue:
    """All images of a workload, in an order that matters: the same order, the same requests."""

    images: Sequence[Image] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if not self.images:
            raise InvalidScenario("the catalogue is empty: a workload needs at least one image")

    @cached_property
    def _weights(self) -> list[float]:
        return list(accumulate(image.weight for image in self.images))

    def pick(self, random: Callable[[], float]) -> Image:
        """Pick an image by weight. `random` gives numbers from 0 up to, not including, 1."""
        weights = self._weights
        return self.images[bisect(weights, random() * weights[-1], 0, len(weights) - 1)]

    def between(self, least: float, most: float) -> "Catalogue | None":
        """Return the images of at least `least` and less than `most` megapixels, if any."""
        images = [image for image in self.images if least <= image.megapixels < most]
        return Catalogue(images) if images else None

    def nth(self, number: int) -> Image:
        """Image `number` of an order that has each once before any twice, and jumps about."""
        count = len(self.images)
        return self.images[(number * _find_stride(count) + count // 3) % count]

    @classmethod
    def of(cls, images: Iterable[Image]) -> "Catalogue":
        """Return a catalogue of these images."""
        return cls(tuple(images))


def _find_stride(count: int) -> int:
    """Prime to `count` and near its golden section, so that neighbours end up far apart."""
    stride = max(1, int(count * 0.618))
    while gcd(stride, count) != 1:
        stride += 1
    return stride
