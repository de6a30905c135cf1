"""From any colour model to 8-bit sRGB."""

from typing import Any

from vitrine.ingest.header import Header

_SIXTEEN_BITS = 257
"""65535 / 255."""


def to_srgb(image: Any, header: Header, background: tuple[int, int, int]) -> Any:
    """Three bands of 8-bit sRGB: relative colorimetric with black point compensation.

    `background` (sRGB, 0 to 255) shows through transparent pixels. Without a usable profile, gray
    and RGB are taken for sRGB, CMYK for libvips' own press profile.
    """
    if header.extra_bands:
        image = _without_extra_bands(image, header, background)
    if header.profile == "mismatched":
        image = image.copy()
        image.remove("icc-profile-data")
    if header.colour == "lab":
        # TIFF's Lab is relative to D50, as is the profile connection space; libvips' own is D65.
        return image.colourspace("lab").icc_export(output_profile="srgb", **_INTENT, pcs="lab")
    if header.profile == "usable":
        return _through_profile(image, embedded=True)
    return _unprofiled(image, header)


_INTENT: dict[str, Any] = {"intent": "relative", "black_point_compensation": True, "depth": 8}


def _through_profile(image: Any, **source: Any) -> Any:
    return image.icc_transform("srgb", **source, **_INTENT)


def _unprofiled(image: Any, header: Header) -> Any:
    if header.colour == "cmyk":
        return _through_profile(image, input_profile="cmyk")
    if header.colour == "gray":
        interpretation = "rgb16" if header.bits == 16 else "srgb"
        image = image.bandjoin([image, image]).copy(interpretation=interpretation)
    # 16 bits go through the profile even from sRGB to sRGB: a plain shift darkens.
    return _through_profile(image, input_profile="srgb") if header.bits == 16 else image


def _without_extra_bands(image: Any, header: Header, background: tuple[int, int, int]) -> Any:
    if not image.hasalpha():
        return image.extract_band(0, n=header.colour_bands)
    if header.extra_bands > 1:
        image = image.extract_band(0, n=header.colour_bands + 1)
    scale = _SIXTEEN_BITS if header.bits == 16 else 1
    return image.flatten(background=_in_colours_of(header, background), max_alpha=255 * scale)


def _in_colours_of(header: Header, background: tuple[int, int, int]) -> list[float]:
    """`background` in the master's own colours, close enough for white, gray and black."""
    scale = _SIXTEEN_BITS if header.bits == 16 else 1
    red, green, blue = background
    gray = (red + green + blue) / 3
    if header.colour == "gray":
        return [gray * scale]
    if header.colour == "cmyk":
        return [(255 - value) * scale for value in background] + [0.0]
    if header.colour == "lab":
        return [gray / 255 * 32767, 0, 0]
    return [value * scale for value in background]
