"""Gentle clean-up, as Baresoil's: levels are stretched within bounds, and edges sharpened."""

from typing import Any

import numpy as np
import pyvips

_LUMA = np.array((0.2126, 0.7152, 0.0722), np.float32)
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
    samples = np.frombuffer(image.write_to_memory(), np.uint8).reshape(-1, len(_LUMA))
    # Not by `@`: the image has no linear algebra (docs/adr/0016).
    luma = (samples * _LUMA).sum(axis=1)
    dark, light = np.percentile(luma, (_IGNORED_PERCENT, 100 - _IGNORED_PERCENT))
    black = min(float(dark), _MOST_SHIFT)
    gain = min(255 / max(float(light) - black, 1.0), _MOST_GAIN)
    return max(gain, 1.0), -black * max(gain, 1.0)


def clean_up(image: Any, levels: Levels) -> Any:
    """Return the 8-bit picture with these levels, its edges sharpened."""
    gain, offset = levels
    values = bytes(min(max(round(value * gain + offset), 0), 255) for value in range(256))
    table = pyvips.Image.new_from_memory(values, 256, 1, 1, "uchar")
    mask = pyvips.Image.new_from_array(_SHARPENED, scale=sum(map(sum, _SHARPENED)))
    return image.maplut(table).conv(mask, precision="integer")
