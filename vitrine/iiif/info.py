"""Image information documents (Image API 3.0, section 5; 2.1, section 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vitrine.access.descriptions import contexts, describe_context
from vitrine.iiif.format import FORMATS, JPEG
from vitrine.iiif.size import Limits, download_label, is_downloadable
from vitrine.iiif.version import V2, V3, Version

_PROTOCOL = "http://iiif.io/api/image"
# The formats that level 2 requires.
_LEVEL_2_FORMATS = ("jpg", "png")
# Features beyond level 2, of version 3 (whose level 2 has the square region) and of version 2;
# the last of each enlarges.
_EXTRA_FEATURES = ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "sizeUpscaling"]
_SUPPORTS = [
    "canonicalLinkHeader",
    "mirroring",
    "profileLinkHeader",
    "regionSquare",
    "sizeAboveFull",
]


@dataclass(frozen=True, kw_only=True)
class ImageInformation:
    """The information about an image. Sizes in pixels, `levels` from full resolution down."""

    uri: str
    """The image's base URI, percent-encoded."""
    width: int
    height: int
    tile_width: int
    tile_height: int
    levels: Sequence[tuple[int, int]]
    limits: Limits
    rights: str = ""
    """URI of a licence or rights statement; if empty, it is left out."""
    download_address: str = ""
    """Address of the whole image at full resolution."""
    downloads: bool = False
    """True if the service sends whole images that are beyond the limits."""
    enlarges: bool = True
    """False if no region is answered larger than it is."""
    services: Sequence[Mapping[str, Any]] = ()
    """The way in to a restricted image (`vitrine.access.descriptions`)."""

    def document(self, version: Version) -> dict[str, Any]:
        """Return the JSON document of this version."""
        return _BUILDERS[version.number](self)

    def sizes(self) -> list[dict[str, int]]:
        """List the sizes that are cheap: those of the levels within the limits, smallest first."""
        return [
            {"width": width, "height": height}
            for width, height in reversed(self.levels)
            if self._granted.grant(width, height)
        ]

    def tiles(self) -> list[dict[str, Any]]:
        """List the one tiling: each level has half the size of the one before."""
        tile: dict[str, Any] = {"width": self.tile_width}
        if self.tile_height != self.tile_width:
            tile["height"] = self.tile_height
        return [{**tile, "scaleFactors": [2**level for level in range(len(self.levels))]}]

    def maxima(self) -> dict[str, int]:
        """Return the limits as both versions write them.

        Most viewers heed maxWidth alone: it is what is granted whatever the region's shape.
        """
        across, down = self._granted.bounds
        return {"maxWidth": across, "maxHeight": down, "maxArea": self.limits.area}

    @property
    def is_downloadable(self) -> bool:
        """True if the image can be downloaded whole, and `max` is not that."""
        return self.downloads and is_downloadable(self.width, self.height, self._granted)

    @cached_property
    def _granted(self) -> Limits:
        return self.limits.for_image(self.width, self.height)


def _document_2(image: ImageInformation) -> dict[str, Any]:
    extra = {
        "formats": list(FORMATS),
        "qualities": ["default", "color", "gray", "bitonal"],
        "supports": _SUPPORTS if image.enlarges else _SUPPORTS[:-1],
        **image.maxima(),
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
        **({"license": image.rights} if image.rights else {}),
        **({"service": describe_context(image.services)} if image.services else {}),
    }


def _document_3(image: ImageInformation) -> dict[str, Any]:
    return {
        "@context": contexts(V3.context) if image.services else V3.context,
        "id": image.uri,
        "type": "ImageService3",
        "protocol": _PROTOCOL,
        "profile": "level2",
        "width": image.width,
        "height": image.height,
        **image.maxima(),
        "sizes": image.sizes(),
        "tiles": image.tiles(),
        # Tiles are stored as JPEG: in any other format each has to be rendered.
        "preferredFormats": [JPEG.name],
        "extraFormats": [name for name in FORMATS if name not in _LEVEL_2_FORMATS],
        "extraQualities": ["color", "gray", "bitonal"],
        "extraFeatures": _EXTRA_FEATURES if image.enlarges else _EXTRA_FEATURES[:-1],
        **({"rights": image.rights} if image.rights else {}),
        **({"seeAlso": [_link_download(image)]} if image.is_downloadable else {}),
        **({"service": list(image.services)} if image.services else {}),
    }


def _link_download(image: ImageInformation) -> dict[str, Any]:
    """Return the link to the whole image (3.0, section 5.7, which has no `rendering`)."""
    return {
        "id": image.download_address,
        "type": "Image",
        "label": download_label(image.width, image.height),
        "format": JPEG.media_type,
    }


_BUILDERS = {2: _document_2, 3: _document_3}
