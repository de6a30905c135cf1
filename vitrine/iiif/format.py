"""The formats an image is delivered in (Image API 3.0, section 4.5)."""

from dataclasses import dataclass

from vitrine.errors import InvalidRequest


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format: `name` in the address, its media type, the longest side it can hold in pixels."""

    name: str
    media_type: str
    longest_side: int
    largest_area: int = 2**62
    """Most pixels that are made of it, where its encoder needs more memory than the others'."""

    def check_size(self, width: int, height: int) -> None:
        """Raise InvalidRequest for a size, in pixels, that the format cannot hold.

        A 501 would count among the service's own failures, and anybody could ask for it.
        """
        if max(width, height) > self.longest_side:
            raise InvalidRequest(
                f"{self.name} holds at most {self.longest_side} pixels on a side:"
                " ask for fewer, or for jpg"
            )
        if width * height > self.largest_area:
            raise InvalidRequest(
                f"{self.name} is made of at most {self.largest_area:,} pixels, not of"
                f" {width} x {height}: ask for fewer, or for jpg"
            )


_MAX_NEW_AREA = 12_000_000
"""Pixels: 240 MB in the encoder of AVIF, 310 MB in that of JPEG XL (ADR 0032)."""
# libjpeg's JPEG_MAX_DIMENSION, WebP's 14 bits, GIF's 16, AV1's 16; PNG and TIFF hold more than any
# limit, and a JPEG XL as much as the JPEG that it is made of.
_OFFERED = (
    Format(name="jpg", media_type="image/jpeg", longest_side=65_500),
    Format(name="png", media_type="image/png", longest_side=2**31 - 1),
    Format(name="webp", media_type="image/webp", longest_side=16_383),
    Format(name="gif", media_type="image/gif", longest_side=65_535),
    Format(name="tif", media_type="image/tiff", longest_side=2**31 - 1),
    Format(
        name="avif",
        media_type="image/avif",
        longest_side=65_535,
        largest_area=_MAX_NEW_AREA,
    ),
    Format(
        name="jxl",
        media_type="image/jxl",
        longest_side=65_500,
        largest_area=_MAX_NEW_AREA,
    ),
)
FORMATS = {format_.name: format_ for format_ in _OFFERED}
"""Formats offered, by name. Others that the specification names answer 400, as it recommends."""
JPEG, JPEG_XL = FORMATS["jpg"], FORMATS["jxl"]
