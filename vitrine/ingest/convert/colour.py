"""Conversion of any colour model to 8-bit sRGB."""

from typing import Any

import pyvips

from vitrine.ingest.inspect.header import Header

_MAXIMUM = {8: 255, 16: 65535, 32: 1}
"""White by bits per sample."""
_INTERPRETATIONS = {
    ("gray", 8): "b-w",
    ("gray", 16): "grey16",
    ("rgb", 8): "srgb",
    ("rgb", 16): "rgb16",
    ("cmyk", 8): "cmyk",
    ("cmyk", 16): "cmyk",
}
_INTENT: dict[str, Any] = {"intent": "relative", "black_point_compensation": True, "depth": 8}
_ICC_FIELD = "icc-profile-data"


def to_srgb(image: Any, header: Header, background: tuple[int, int, int]) -> Any:
    """Convert to three bands of 8-bit sRGB: relative colorimetric, black point compensation.

    `background` (sRGB, 0 to 255) shows through transparent pixels. Without a usable profile, gray
    and RGB are taken to be sRGB (floating point: linear light), CMYK to be of libvips' own press
    profile. Samples that are neither colour nor transparency are left out.
    """
    colours = image
    if header.premultiplied:
        colours = _divide_by_alpha(image, header)
    if header.extra_bands:
        colours = colours.extract_band(0, n=header.colour_bands)
    colours = _set_profile(colours, header)
    if header.colour == "lab":
        result = _convert_lab(colours, header)
    elif colours.get_typeof(_ICC_FIELD):
        result = _apply_profile(_as_integers(colours, header), embedded=True)
    else:
        result = _convert_unprofiled(colours, header)
    if header.alpha is None:
        return result
    alpha = _to_eight_bits(image[header.colour_bands + header.alpha], header)
    return result.bandjoin(alpha).flatten(background=list(background))


def _divide_by_alpha(image: Any, header: Header) -> Any:
    alpha = header.colour_bands + (header.alpha or 0)
    colours = image.unpremultiply(alpha_band=alpha, max_alpha=_MAXIMUM[header.bits])
    return colours if header.samples == "float" else colours.rint().cast(image.format)


def _set_profile(image: Any, header: Header) -> Any:
    """Return `image` with the profile to use, if any.

    A mismatched profile is removed, since it must not be used silently.
    """
    profile = header.icc if header.profile == "usable" else header.made_icc
    image = image.copy()
    if (header.colour, header.bits) in _INTERPRETATIONS:
        # Separate planes come as gray pictures.
        image = image.copy(interpretation=_INTERPRETATIONS[header.colour, header.bits])
    if image.get_typeof(_ICC_FIELD):
        image.remove(_ICC_FIELD)
    if profile is not None:
        image.set_type(pyvips.GValue.blob_type, _ICC_FIELD, profile)
    return image


def _apply_profile(image: Any, **source: Any) -> Any:
    return image.icc_transform("srgb", **source, **_INTENT)


def _convert_unprofiled(image: Any, header: Header) -> Any:
    if header.colour == "cmyk":
        return _apply_profile(image, input_profile="cmyk")
    if header.colour == "gray":
        image = image.bandjoin([image, image])
    if header.samples == "float":
        return image.copy(interpretation="scrgb").colourspace("srgb")
    if header.bits == 16:
        # 16 bits go through the profile even from sRGB to sRGB: a plain shift darkens.
        return _apply_profile(image.copy(interpretation="rgb16"), input_profile="srgb")
    return image.copy(interpretation="srgb")


def _as_integers(image: Any, header: Header) -> Any:
    """Convert float samples, 0 to 1 under their profile, to 16 bits for the colour engine."""
    if header.samples != "float":
        return image
    interpretation = "grey16" if header.colour == "gray" else "rgb16"
    return (image * 65535).rint().cast("ushort").copy(interpretation=interpretation)


def _convert_lab(image: Any, header: Header) -> Any:
    """Convert TIFF's Lab.

    It is relative to D50, as is the profile connection space; libvips' own Lab is D65.
    """
    if image.interpretation == "labs":
        lab = image.colourspace("lab")
    elif header.samples == "lab" and header.bits == 16:
        signed = (image > 32767).ifthenelse(image - 65536.0, image * 1.0) / 256
        lab = (image[0] * (100 / 65535)).bandjoin([signed[1], signed[2]])
    elif header.samples == "lab":
        signed = (image > 127).ifthenelse(image - 256.0, image * 1.0)
        lab = (image[0] * (100 / 255)).bandjoin([signed[1], signed[2]])
    elif header.bits == 8:
        lab = image.linear([100 / 255, 1, 1], [0, -128, -128])
    else:
        lab = image.linear([100 / 65280, 1 / 256, 1 / 256], [0, -128, -128])
    lab = lab.cast("float").copy(interpretation="lab")
    return lab.icc_export(output_profile="srgb", pcs="lab", **_INTENT)


def _to_eight_bits(alpha: Any, header: Header) -> Any:
    if header.bits == 8:
        return alpha.copy(interpretation="b-w")
    return (alpha * (255 / _MAXIMUM[header.bits])).rint().cast("uchar").copy(interpretation="b-w")
