"""Images as pages show them: the addresses of the sizes that are held, which cost next to nothing.

Addresses are paths, so that a page also works under another name of its host than manifests have.
"""

from dataclasses import dataclass
from functools import cached_property

from vitrine.access.rules import AccessRule, read_rule
from vitrine.iiif.paths import download_path, image_path
from vitrine.iiif.region import Box
from vitrine.iiif.size import Limits, is_downloadable, largest_size
from vitrine.iiif.version import V3
from vitrine.records import Live

Size = tuple[int, int]
CARD_SIDES = (200, 1_024)
"""Pixels of the longer side, at least and at most, of images in lists."""
PAGE_SIDES = (400, 4_096)
"""The same of images on their own page."""
LARGE_SIDES = (640, 2_560)
"""The same of an image that is shown large on the first page."""
CARD_SIDE, PAGE_SIDE, SHARED_SIDE = 400, 1_000, 1_200
"""Pixels of the longer side of what a browser gets that does not choose, and of what is shared."""
FIRST_PIXELS = 2_500_000
"""Pixels, at most, of pictures as WebP: the origin keeps most of what it encodes of this size."""
DOWNLOADS = {"small": 1_000, "medium": 2_000, "large": 4_000}
"""Pixels of the longer side, at most, of the named sizes."""


@dataclass(frozen=True)
class PublishedPicture:
    """One published image."""

    image: Live
    limits: Limits
    downloads: bool
    """True if the service also sends whole images that are beyond the limits."""

    @cached_property
    def access(self) -> AccessRule:
        """How much of it everybody sees, and with which right somebody sees all."""
        return read_rule(self.image.access)

    @property
    def is_hidden(self) -> bool:
        """True if nobody sees anything of it without a right."""
        return self.access.shows == "nothing"

    @cached_property
    def service(self) -> str:
        """The path of its image service, version 3."""
        return image_path(V3, self.image.identifier)

    @cached_property
    def largest(self) -> Size:
        """The size of `max`."""
        whole = Box(0, 0, self.image.width, self.image.height)
        return largest_size(whole, self._granted, upscale=False)

    @cached_property
    def sizes(self) -> list[Size]:
        """The sizes that are held and granted, smallest first, as info.json lists them."""
        return [size for size in reversed(self.image.levels) if self._granted.grant(*size)]

    @property
    def listed_sizes(self) -> list[dict[str, int]]:
        """The same as info.json writes them."""
        return [{"width": width, "height": height} for width, height in self.sizes]

    def path(self, size: Size, suffix: str = "jpg") -> str:
        """Return the path of the whole image in this size."""
        width, height = size
        whole = "max" if size == self.largest else f"{width},{height}"
        return f"{self.service}/full/{whole}/0/default.{suffix}"

    def card(self) -> "PictureSources":
        """Return what lists show of it."""
        return self._offer(CARD_SIDES, CARD_SIDE)

    def page(self) -> "PictureSources":
        """Return what its own page shows of it."""
        return self._offer(PAGE_SIDES, PAGE_SIDE)

    @property
    def light_choices(self) -> str:
        """The `srcset` of what its page shows first: WebP, a third to a half of the bytes."""
        return ", ".join(
            f"{self.path(size, 'webp')} {size[0]}w"
            for size in self.sizes
            if max(size) >= PAGE_SIDES[0] and size[0] * size[1] <= FIRST_PIXELS
        )

    def shared(self) -> Size:
        """Return the size by which other sites show it."""
        return _nearest(self.sizes or [self.largest], SHARED_SIDE)

    def named_sizes(self) -> list[tuple[str, str, Size]]:
        """Return name, path and size of each download, smallest first."""
        full = self.image.width, self.image.height
        found: list[tuple[str, str, Size]] = []
        for name, side in DOWNLOADS.items():
            fitting = [size for size in self.sizes if max(size) <= side and size != full]
            if fitting and (not found or fitting[-1] != found[-1][2]):
                found.append((name, self.path(fitting[-1]), fitting[-1]))
        if self.largest == full:
            return [*found, ("full", self.path(full), full)]
        if not found or found[-1][2] != self.largest:
            found = [one for one in found if one[0] != "large"]
            found.append(("large", self.path(self.largest), self.largest))
        if self.downloads and is_downloadable(*full, self._granted):
            found.append(("full", download_path(self.image.identifier), full))
        return found

    def _offer(self, sides: tuple[int, int], preferred: int) -> "PictureSources":
        least, most = sides
        fitting = [size for size in self.sizes if least <= max(size) <= most]
        fitting = fitting or [_nearest(self.sizes or [self.largest], preferred)]
        return PictureSources(
            source=self.path(_nearest(fitting, preferred)),
            choices=", ".join(f"{self.path(size)} {size[0]}w" for size in fitting),
            width=self.image.width,
            height=self.image.height,
        )

    @cached_property
    def _granted(self) -> Limits:
        return self.limits.for_image(self.image.width, self.image.height)


@dataclass(frozen=True)
class PictureSources:
    """What an `<img>` says: `src`, `srcset`, and the shape that its place has before it comes."""

    source: str
    choices: str
    width: int
    height: int


def offer_held_sizes(service: str, width: int, height: int) -> PictureSources:
    """Return what a page shows large of an image of which it knows no more than its size.

    `service` is the path of its image service; levels of access masters are halves of each other.
    """
    levels = [(width, height)]
    while max(levels[-1]) > LARGE_SIDES[0]:
        levels.append((-(-levels[-1][0] // 2), -(-levels[-1][1] // 2)))
    fitting = [size for size in levels if max(size) <= LARGE_SIDES[1]]

    def path(size: Size) -> str:
        whole = "max" if size == (width, height) else f"{size[0]},{size[1]}"
        return f"{service}/full/{whole}/0/default.jpg"

    choices = ", ".join(f"{path(size)} {size[0]}w" for size in reversed(fitting))
    return PictureSources(path(_nearest(fitting, PAGE_SIDE)), choices, width, height)


def _nearest(sizes: list[Size], side: int) -> Size:
    """Return the size whose longer side differs least from `side`, by factor."""
    return min(sizes, key=lambda size: max(max(size) / side, side / max(size)))
