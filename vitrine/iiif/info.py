"""Image information documents (Image API 3.0, section 5; 2.1, section 5).

They claim level 1: the renderer behind this form delivers no PNG, which level 2 wants.
What goes beyond level 1 is listed as extra.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3, Version

_PROTOCOL = "http://iiif.io/api/image"
_QUALITIES = ["color", "gray", "bitonal"]
_FEATURES_2 = [
    "baseUriRedirect",
    "canonicalLinkHeader",
    "cors",
    "jsonldMediaType",
    "mirroring",
    "profileLinkHeader",
    "regionByPct",
    "regionSquare",
    "rotationBy90s",
    "sizeByConfinedWh",
    "sizeByDistortedWh",
    "sizeByWh",
]
_FEATURES_3 = [
    "canonicalLinkHeader",
    "mirroring",
    "profileLinkHeader",
    "regionByPct",
    "rotationBy90s",
    "sizeByConfinedWh",
    "sizeByPct",
    "sizeByWh",
]


@dataclass(frozen=True, kw_only=True)
class ImageInformation:
    """What is told of an image. Sizes in pixels, `levels` from full resolution down."""

    uri: str
    """The image's base URI, percent-encoded."""
    width: int
    height: int
    tile_width: int
    tile_height: int
    levels: Sequence[tuple[int, int]]
    limits: Limits

    def document(self, version: Version) -> dict[str, Any]:
        """The JSON document of this version."""
        return _BUILDERS[version.number](self)

    def sizes(self) -> list[dict[str, int]]:
        """Sizes that are cheap, smallest first: those of the levels, within the limits."""
        return [
            {"width": width, "height": height}
            for width, height in reversed(self.levels)
            if width * height <= self.limits.area
        ]

    def tiles(self) -> list[dict[str, Any]]:
        """The one tiling: each level halves the one before."""
        tile: dict[str, Any] = {"width": self.tile_width}
        if self.tile_height != self.tile_width:
            tile["height"] = self.tile_height
        return [{**tile, "scaleFactors": [2**level for level in range(len(self.levels))]}]


def _document_2(image: ImageInformation) -> dict[str, Any]:
    extra = {
        "formats": ["jpg"],
        "qualities": ["default", *_QUALITIES],
        "supports": _FEATURES_2,
        "maxArea": image.limits.area,
    }
    return {
        "@context": V2.context,
        "@id": image.uri,
        "protocol": _PROTOCOL,
        "width": image.width,
        "height": image.height,
        "sizes": image.sizes(),
        "tiles": image.tiles(),
        "profile": [V2.profile, extra],
    }


def _document_3(image: ImageInformation) -> dict[str, Any]:
    return {
        "@context": V3.context,
        "id": image.uri,
        "type": "ImageService3",
        "protocol": _PROTOCOL,
        "profile": "level1",
        "width": image.width,
        "height": image.height,
        "maxArea": image.limits.area,
        "sizes": image.sizes(),
        "tiles": image.tiles(),
        "extraQualities": _QUALITIES,
        "extraFeatures": _FEATURES_3,
    }


_BUILDERS = {2: _document_2, 3: _document_3}
