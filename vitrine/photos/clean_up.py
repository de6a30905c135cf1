"""Gentle clean-up, as Baresoil's: levels are stretched within bounds, and edges sharpened."""

from typing import Any

import pyvips

_LUMA = (0.2126, 0.7152, 0.0722)
"""Source: ITU-R BT.709."""
_IGNORED_PERCENT = 0.5
"""Pixels at either end that may become black or white: glints, and the frame of a scan."""
_MOST_GAIN = 1.25
_MOST_SHIFT = 24
"""Of black, in levels of 8 bits: fog stays fog."""
_SHARPENED = [[0, -1, 0], [-1, 20, -1], [0, -1, 0]]
"""A quarter of the Laplacian added. With the corners too, libvips takes six times as long."""
Levels = tuple[float, float]
"""Gain and offset of every sample."""


def find_levels(image: Any) -> Levels:
    """Return the levels that a small sRGB picture of the photograph asks for."""
    red, green, blue = (image[band] * share for band, share in enumerate(_LUMA))
    luma = (red + green + blue).cast("uchar")
    dark, light = luma.percent(_IGNORED_PERCENT), luma.percent(100 - _IGNORED_PERCENT)
    black = min(dark, _MOST_SHIFT)
    gain = min(255 / max(light - black, 1), _MOST_GAIN)
    return max(gain, 1.0), -black * max(gain, 1.0)


def clean_up(image: Any, levels: Levels) -> Any:
    """Return the 8-bit picture with these levels, its edges sharpened."""
    gain, offset = levels
    values = bytes(min(max(round(value * gain + offset), 0), 255) for value in range(256))
    table = pyvips.Image.new_from_memory(values, 256, 1, 1, "uchar")
    mask = pyvips.Image.new_from_array(_SHARPENED, scale=sum(map(sum, _SHARPENED)))
    return image.maplut(table).conv(mask, precision="integer")
