"""A collection too large to be written down: images are made as they are asked for."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from math import exp, log, sqrt
from statistics import NormalDist
from typing import overload

from loadtest.workload.catalogue import MEGA, Catalogue, Image
from loadtest.workload.request import Rng

SIZES = 64
"""Different sizes of images; image n has that of n modulo this number."""
SPREAD = 0.6
"""Standard deviation of the logarithm of their megapixels: a third have under three quarters of the
median, a sixth over 1.8 times of it. Assumed."""
_STRIDE = 29
"""Prime to SIZES: popular images are of all sizes."""
_HEAD = 1_000
"""Ranks of Zipf's law that are summed; beyond them the integral is as good."""
_SHAPES = ((4, 3), (3, 4))
_KEPT_IMAGES = 4_096


@dataclass(frozen=True)
class ImageSize:
    """What all images of a size have in common."""

    width: int
    height: int
    levels: tuple[tuple[int, int], ...]

    @property
    def megapixels(self) -> float:
        """Millions of pixels."""
        return self.width * self.height / MEGA


class Popularity:
    """Zipf's law over ranks 0 to `count` - 1: rank r has weight (r + 1) ** -exponent."""

    def __init__(self, count: int, exponent: float) -> None:
        self._count, self.exponent = count, exponent
        head = min(count, _HEAD)
        self._sums = list(accumulate((rank + 1) ** -exponent for rank in range(head)))
        self._start = head + 0.5
        self._begin = self._integrate_power(self._start)
        self._tail = self._integrate_power(count + 0.5) - self._begin if count > head else 0.0

    def draw(self, random: Rng) -> int:
        """Draw a rank from one random number."""
        place = random() * (self._sums[-1] + self._tail)
        if place < self._sums[-1]:
            return bisect(self._sums, place)
        rank = round(self._invert_integral(self._begin + place - self._sums[-1])) - 1
        return min(max(rank, len(self._sums)), self._count - 1)

    def groups(self) -> Iterator[tuple[int, float]]:
        """Yield numbers of ranks that are drawn about as often each, and the chance of each group.

        The first ranks by themselves, then ever more together, up to a hundredth of their place.
        """
        whole, before = self._sums[-1] + self._tail, 0.0
        for total in self._sums:
            yield 1, (total - before) / whole
            before = total
        first = len(self._sums)
        while first < self._count:
            last = min(self._count, first + max(1, first // 100))
            share = self._integrate_power(last + 0.5) - self._integrate_power(first + 0.5)
            yield last - first, share / whole
            first = last

    def _integrate_power(self, x: float) -> float:
        """Return the integral of x ** -exponent, but for a constant."""
        power = 1 - self.exponent
        return (x**power - 1) / power if abs(power) > 1e-9 else log(x)

    def _invert_integral(self, y: float) -> float:
        power = 1 - self.exponent
        return float((1 + y * power) ** (1 / power)) if abs(power) > 1e-9 else exp(y)


@dataclass(frozen=True)
class ImageCollection(Catalogue):
    """Images picked by Zipf's law, the first the most; `members` are the sizes that belong."""

    images: Sequence[Image]
    popularity: Popularity
    sizes: Sequence[ImageSize] = field(repr=False)

    @classmethod
    def made(cls, count: int, megapixels: float, exponent: float) -> "ImageCollection":
        """Return `count` images with this median."""
        sizes = _draw_sizes(megapixels)
        return cls(_Images(count, tuple(range(SIZES)), sizes), Popularity(count, exponent), sizes)

    def pick(self, random: Rng) -> Image:
        """Draw an image by its popularity."""
        return self.images[self.popularity.draw(random)]

    def between(self, least: float, most: float) -> "ImageCollection | None":
        """Return the images from `least` to below `most` megapixels, if there are any."""
        images = self.images
        assert isinstance(images, _Images)
        belong = tuple(
            place for place in images.places if least <= self.sizes[place].megapixels < most
        )
        members = _Images(images.total, belong, self.sizes)
        if not len(members):
            return None
        exponent = self.popularity.exponent
        return ImageCollection(members, Popularity(len(members), exponent), self.sizes)


class _Images(Sequence[Image]):
    """The images of `count` whose number modulo SIZES is one of `places`."""

    def __init__(self, count: int, places: tuple[int, ...], sizes: Sequence[ImageSize]) -> None:
        self.total, self.places = count, places
        self._sizes = sizes
        rounds, rest = divmod(count, SIZES)
        self._length = rounds * len(places) + sum(1 for place in places if place < rest)
        self._make = lru_cache(maxsize=_KEPT_IMAGES)(self._make_image)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Image: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Image]: ...
    def __getitem__(self, place: int | slice) -> Image | Sequence[Image]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self._length))]
        if not -self._length <= place < self._length:
            raise IndexError(place)
        rounds, rest = divmod(place % self._length, len(self.places))
        return self._make(rounds * SIZES + self.places[rest])

    def _make_image(self, number: int) -> Image:
        size = self._sizes[number % SIZES]
        return Image(str(number), size.width, size.height, levels=size.levels)


def _draw_sizes(megapixels: float) -> tuple[ImageSize, ...]:
    """Return the quantiles of a log-normal distribution, landscapes and portraits in turn."""
    quantiles = [NormalDist().inv_cdf((place + 0.5) / SIZES) for place in range(SIZES)]
    sizes = []
    for place in range(SIZES):
        pixels = megapixels * MEGA * exp(SPREAD * quantiles[place * _STRIDE % SIZES])
        across, down = _SHAPES[place % len(_SHAPES)]
        unit = sqrt(pixels / (across * down))
        image = Image("size", max(1, round(across * unit)), max(1, round(down * unit)))
        sizes.append(ImageSize(image.width, image.height, image.levels))
    return tuple(sizes)
