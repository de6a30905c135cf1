"""An image request: parsed once, then resolved against the image it is for."""

from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.iiif.format import FORMATS
from vitrine.iiif.numbers import scaled
from vitrine.iiif.region import Box, Region, parse_region, resolve_region
from vitrine.iiif.rotation import Rotation, parse_rotation
from vitrine.iiif.size import Exact, Limits, Size, largest_size, parse_size, resolve_size
from vitrine.iiif.stored_sizes import StoredPyramid, find_stored_size
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
    stated = _use_stored_size(request.size, region, pyramid)
    size = resolve_size(stated, region, request.version, limits)
    whole = region == Box(0, 0, width, height)
    quality = "default" if request.quality in _DEFAULT_QUALITIES else request.quality
    parts = (
        "full" if whole else f"{region.x},{region.y},{region.width},{region.height}",
        _canonical_size(region, size, request.version, limits, pyramid),
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


def _use_stored_size(size: Size, region: Box, pyramid: StoredPyramid | None) -> Size:
    """Return the size with both sides, if it has one side and that of a tile or level."""
    form = size.form
    if pyramid is None or not isinstance(form, Exact) or (form.width and form.height):
        return size
    stored = find_stored_size(pyramid, region, form.width or 0, form.height or 0)
    return Size(Exact(*stored), size.upscale) if stored else size


def _canonical_size(
    region: Box,
    size: tuple[int, int],
    version: Version,
    limits: Limits,
    pyramid: StoredPyramid | None,
) -> str:
    """Return the canonical size (Image API 3.0, section 4.8; 2.1, section 4.7)."""
    width, height = size
    if version.full_is_a_size and size == (region.width, region.height):
        return "full"
    if version.canonical_size_names_both:
        if size == largest_size(region, limits, upscale=False):
            return "max"
        if size == largest_size(region, limits, upscale=True):
            return "^max"
        larger = width > region.width or height > region.height
        return f"{'^' if larger else ''}{width},{height}"
    stored = find_stored_size(pyramid, region, width, 0) if pyramid else None
    kept = height == (stored[1] if stored else scaled(region.height, width, region.width))
    return f"{width}," if kept else f"{width},{height}"
