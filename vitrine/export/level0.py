"""An image as files of level 0: which sizes and tiles viewers ask for, and under which names.

Sources: Image API 3.0 and 2.1, section 5 and "Implementation notes"; what OpenSeadragon requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vitrine.export.names import file_name
from vitrine.iiif.presentation.image_resource import ImageResource, choose_thumbnail
from vitrine.iiif.version import V2, V3, Version
from vitrine.records import Live

MAX_PICTURE_LENGTH = 2_048
"""Pixels of the longer side of the largest picture that is one file; viewers show the tiles."""
_PROTOCOL = "http://iiif.io/api/image"
VERSIONS = (V3, V2)

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A picture of the tree: a region of the image at a level, with the names that it has."""

    level: int
    region: tuple[int, int, int, int] | None
    """In pixels of the image: x, y, width, height; None for all of it."""
    width: int
    height: int
    names: tuple[tuple[Version, str], ...]
    """Path below the image's folder, in the addresses of each version."""

    def request(self) -> str:
        """Return what follows the image's base URI in a request of version 3."""
        return f"{_region_name(self.region)}/{self.width},{self.height}/0/default.jpg"


@dataclass(frozen=True)
class StaticImage:
    """An image whose addresses begin with `base`."""

    image: Live
    base: str
    rights: str = ""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return file_name(self.image.identifier)

    def folder(self, version: Version) -> str:
        """Return the path of its files, in the tree."""
        return f"iiif/{version.number}/{self.name}"

    @cached_property
    def levels(self) -> tuple[Size, ...]:
        """The sizes of the levels as viewers count them: halved, rounded up."""
        width, height = self.image.width, self.image.height
        return tuple(
            (-(-width // 2**level), -(-height // 2**level))
            for level in range(len(self.image.levels))
        )

    @cached_property
    def sizes(self) -> tuple[Size, ...]:
        """The sizes that are one file each, smallest first."""
        enough = [size for size in self.levels if max(size) <= MAX_PICTURE_LENGTH]
        return tuple(reversed(enough or self.levels[-1:]))

    def resource(self) -> ImageResource:
        """Return what manifests say of it."""
        return ImageResource(
            self.name,
            self.image.width,
            self.image.height,
            largest=self.sizes[-1],
            thumbnail=choose_thumbnail(self.sizes),
            compliance=0,
        )

    def information(self, version: Version) -> dict[str, Any]:
        """Return the image information of this version."""
        uri = f"{self.base}/{self.folder(version)}"
        shape = {
            "width": self.image.width,
            "height": self.image.height,
            "sizes": [{"width": width, "height": height} for width, height in self.sizes],
            "tiles": [self._describe_tiles()],
        }
        width, height = self.sizes[-1]
        most = {"maxWidth": width, "maxHeight": height}
        most = {} if (width, height) == self.levels[0] else most
        if version is V2:
            extra = {"formats": ["jpg"], "qualities": ["default"], **most}
            named = {"@context": V2.context, "@id": uri, "protocol": _PROTOCOL}
            rights = {"license": self.rights} if self.rights else {}
            return {**named, **shape, "profile": [V2.profile_of(0), extra], **rights}
        named = {"@context": V3.context, "id": uri, "type": "ImageService3", "protocol": _PROTOCOL}
        rights = {"rights": self.rights} if self.rights else {}
        return {**named, "profile": "level0", **most, **shape, **rights}

    def files(self) -> Iterator[StaticFile]:
        """Yield every picture: tiles of each level, and the sizes."""
        sizes = set(self.sizes)
        for level, (width, height) in enumerate(self.levels):
            fits = width <= self.image.tile_width and height <= self.image.tile_height
            if fits or (width, height) in sizes:
                names = self._whole_names(width, height, is_tile=fits)
                yield StaticFile(level, None, width, height, names)
            if not fits:
                yield from self._tiles_of(level, width, height)

    def _tiles_of(self, level: int, width: int, height: int) -> Iterator[StaticFile]:
        image, scale = self.image, 2**level
        for y in range(0, height, image.tile_height):
            for x in range(0, width, image.tile_width):
                across = min(image.tile_width, width - x)
                down = min(image.tile_height, height - y)
                left, top = x * scale, y * scale
                region = (
                    left,
                    top,
                    min(image.tile_width * scale, image.width - left),
                    min(image.tile_height * scale, image.height - top),
                )
                start = _region_name(region)
                names = ((V3, f"{start}/{across},{down}"), (V2, f"{start}/{across},"))
                yield StaticFile(level, region, across, down, _complete_names(names))

    def _whole_names(
        self, width: int, height: int, *, is_tile: bool
    ) -> tuple[tuple[Version, str], ...]:
        names = [(V3, f"full/{width},{height}"), (V2, f"full/{width},")]
        if is_tile:
            # leaflet-iiif and Allmaps name the only tile of a level as they name any other.
            start = _region_name((0, 0, self.image.width, self.image.height))
            names += [(V3, f"{start}/{width},{height}"), (V2, f"{start}/{width},")]
        if (width, height) == self.sizes[-1]:
            names += [(V3, "full/max"), (V2, "full/max")]
        if (width, height) == self.levels[0]:
            names += [(V2, "full/full")]
        return _complete_names(names)

    def _describe_tiles(self) -> dict[str, Any]:
        image = self.image
        tile: dict[str, Any] = {"width": image.tile_width}
        if image.tile_height != image.tile_width:
            tile["height"] = image.tile_height
        return {**tile, "scaleFactors": [2**level for level in range(len(self.levels))]}


def _region_name(region: tuple[int, int, int, int] | None) -> str:
    return ",".join(map(str, region)) if region else "full"


def _complete_names(names: Any) -> tuple[tuple[Version, str], ...]:
    return tuple((version, f"{name}/0/default.jpg") for version, name in names)
