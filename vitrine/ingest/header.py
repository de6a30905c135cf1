"""Validate a master from its header, before any pixel is decoded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pyvips

from vitrine.ingest import rejections
from vitrine.ingest.limits import Limits
from vitrine.ingest.profile import ProfileState, profile_state
from vitrine.ingest.vips import load

Colour = Literal["gray", "rgb", "cmyk", "lab"]
OpenSource = Callable[[], pyvips.Source]
"""Opens the master anew: a source serves one image only."""

MAXIMUM_PAGES = 100
"""Pages that are looked at to find the largest."""

_COLOURS: dict[str, Colour] = {
    "b-w": "gray",
    "grey16": "gray",
    "srgb": "rgb",
    "rgb16": "rgb",
    "cmyk": "cmyk",
    "labs": "lab",
}
_COLOUR_BANDS: dict[Colour, int] = {"gray": 1, "rgb": 3, "cmyk": 4, "lab": 3}
_DEPTHS = {"uchar": 8, "ushort": 16, "short": 16}


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the header says. Sizes in pixels as stored, before orientation."""

    format: str
    page: int
    """The largest page: thumbnails and details come before or after it."""
    width: int
    height: int
    colour: Colour
    bits: int
    """Bits per sample, 8 or 16 (a bilevel image loads as 8)."""
    extra_bands: int
    """Samples beyond the colours: alpha first, if there is one."""
    orientation: int
    """EXIF orientation, 1 to 8."""
    profile: ProfileState

    @property
    def colour_bands(self) -> int:
        """Samples that are colour."""
        return _COLOUR_BANDS[self.colour]


def read_header(open_source: OpenSource, file_format: str, limits: Limits) -> Header:
    """The header of the master's largest page.

    Raises MasterRejected: unreadable-file, unsupported-format, too-large, unsupported-colour,
    unsupported-depth.
    """
    try:
        image, page = _largest_page(open_source, file_format)
    except pyvips.Error as error:
        raise rejections.unreadable_file(reason_of(error)) from error
    if _hides_larger_image(open_source, image, page):
        raise rejections.unsupported_format("Camera raw")
    if image.width * image.height > limits.pixels:
        raise rejections.too_many_pixels(image.width, image.height, limits.pixels)
    colour = _colour(image)
    if image.format not in _DEPTHS:
        raise rejections.unsupported_depth(f"{image.format} samples")
    return Header(
        format=file_format,
        page=page,
        width=image.width,
        height=image.height,
        colour=colour,
        bits=_DEPTHS[image.format],
        extra_bands=image.bands - _COLOUR_BANDS[colour],
        orientation=_field(image, "orientation", 1),
        profile=profile_state(_field(image, "icc-profile-data", None), colour),
    )


def check_size(size: int, limits: Limits) -> None:
    """Raises MasterRejected: empty-file, too-large. `size` in bytes."""
    if size == 0:
        raise rejections.empty_file()
    if size > limits.bytes:
        raise rejections.file_too_large(size, limits.bytes)


def reason_of(error: pyvips.Error) -> str:
    """The last line that libvips wrote about it."""
    lines = [line.strip() for line in str(error.detail or error.message).splitlines()]
    return next((line for line in reversed(lines) if line), "")


def _largest_page(open_source: OpenSource, file_format: str) -> tuple[Any, int]:
    first = load(open_source(), file_format)
    pages = _field(first, "n-pages", 1) if file_format == "tiff" else 1
    largest, number = first, 0
    for page in range(1, min(pages, MAXIMUM_PAGES)):
        candidate = load(open_source(), file_format, page=page)
        if candidate.width * candidate.height > largest.width * largest.height:
            largest, number = candidate, page
    return largest, number


def _hides_larger_image(open_source: OpenSource, image: Any, page: int) -> bool:
    """Camera raw files are TIFFs whose pages are previews: the picture lies in a SubIFD.

    A pyramid's SubIFDs are smaller than its page. What libvips cannot open is raw for sure.
    """
    for number in range(_field(image, "n-subifds", 0)):
        try:
            inner = load(open_source(), "tiff", page=page, subifd=number)
        except pyvips.Error:
            return True
        if inner.width * inner.height > image.width * image.height:
            return True
    return False


def _colour(image: Any) -> Colour:
    colour = _COLOURS.get(image.interpretation)
    if image.interpretation == "scrgb":
        raise rejections.unsupported_depth(f"{image.format} samples")
    if colour is None or image.bands < _COLOUR_BANDS[colour]:
        raise rejections.unsupported_colour(f"{image.interpretation}, {image.bands} samples")
    return colour


def _field(image: Any, name: str, default: Any) -> Any:
    return image.get(name) if image.get_typeof(name) else default
