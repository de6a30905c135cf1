"""An image request: parsed once, then resolved against the image it is for."""

from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.iiif.format import FORMATS
from vitrine.iiif.region import Box, Region, parse_region, resolve_region
from vitrine.iiif.rotation import Rotation, parse_rotation
from vitrine.iiif.size import (
    Limits,
    Size,
    StoredPyramid,
    canonical_size,
    parse_size,
    resolve_size,
)
from vitrine.iiif.version import Version

QUALITIES = ("default", "color", "gray", "bitonal")
# Access masters are sRGB, so that these two are one quality.
_DEFAULT_QUALITIES = ("default", "color")


@dataclass(frozen=True, kw_only=True)
class ImageRequest:
    """The parsed `{region}/{size}/{rotation}/{quality}.{format}`."""

    version: Version
    region: Region
    size: Size
    rotation: Rotation
    quality: str
    format: str


@dataclass(frozen=True, kw_only=True)
class ResolvedRequest:
    """An image request in numbers: cut `region`, scale to `width` by `height`, then turn."""

    version: Version
    region: Box
    width: int
    height: int
    rotation: Rotation
    quality: str
    """`default`, `gray` or `bitonal`: `color` is the default."""
    format: str
    canonical: str
    """`{region}/{size}/{rotation}/{quality}.{format}` as the canonical URI writes it."""

    @property
    def is_upscaled(self) -> bool:
        """True if the result has more pixels along an axis than the region."""
        return self.width > self.region.width or self.height > self.region.height


def parse_image_request(parameters: tuple[str, ...], version: Version) -> ImageRequest:
    """Parse region, size, rotation and `quality.format`, percent-decoded. Raises InvalidRequest."""
    region, size, rotation, last = parameters
    quality, dot, format_ = last.rpartition(".")
    if not dot:
        raise InvalidRequest(f"the last part must be quality.format, not {last[:40]!r}")
    if quality == "native":
        raise InvalidRequest("the quality native is version 1's: since version 2 it is default")
    if quality not in QUALITIES:
        raise InvalidRequest(f"the quality must be one of {', '.join(QUALITIES)}")
    if format_ not in FORMATS:
        # Unsupported ones too: "SHOULD result in a 400" (section 4.5 of both versions).
        raise InvalidRequest(f"the format must be one of {', '.join(FORMATS)}")
    return ImageRequest(
        version=version,
        region=parse_region(region),
        size=parse_size(size, version),
        rotation=parse_rotation(rotation),
        quality=quality,
        format=format_,
    )


def resolve(
    request: ImageRequest,
    width: int,
    height: int,
    limits: Limits,
    pyramid: StoredPyramid | None = None,
) -> ResolvedRequest:
    """Resolve `request` for an image of `width` by `height` pixels. Raises InvalidRequest.

    A size with one side is that of the tile or level stored in `pyramid`, if there is such.
    """
    limits = limits.for_image(width, height)
    region = resolve_region(request.region, width, height)
    size = resolve_size(request.size, region, request.version, limits, pyramid)
    whole = region == Box(0, 0, width, height)
    quality = "default" if request.quality in _DEFAULT_QUALITIES else request.quality
    parts = (
        "full" if whole else f"{region.x},{region.y},{region.width},{region.height}",
        canonical_size(region, size, request.version, limits, pyramid),
        request.rotation.canonical(),
        f"{quality}.{request.format}",
    )
    return ResolvedRequest(
        version=request.version,
        region=region,
        width=size[0],
        height=size[1],
        rotation=request.rotation,
        quality=quality,
        format=request.format,
        canonical="/".join(parts),
    )
