"""Gentle clean-up, as Baresoil's: levels are stretched within bounds, and edges sharpened."""

from typing import Any

import numpy as np
import pyvips

_LUMA = (54, 183, 19)
"""Weights of red, green and blue, of 256. Source: ITU-R BT.709."""
_IGNORED_SHARE = 0.005
"""Pixels at either end that may become black or white: glints, and the frame of a scan."""
_MAX_GAIN = 1.25
_MAX_SHIFT = 24
"""Shift of black, in levels of 8 bits: fog stays fog."""
_SHARPENED = [[0, -1, 0], [-1, 20, -1], [0, -1, 0]]
"""A quarter of the Laplacian added. With the corners too, libvips takes six times as long."""
Levels = tuple[float, float]
"""Gain and offset of every sample."""


def find_levels(image: Any) -> Levels:
    """Return the levels that a small sRGB picture of the photograph asks for."""
    samples = np.frombuffer(image.write_to_memory(), np.uint8).reshape(-1, len(_LUMA))
    # Not by `@`: the image has no linear algebra (docs/adr/0016).
    luma = sum(samples[:, band] * np.uint16(share) for band, share in enumerate(_LUMA)) >> 8
    pixels_up_to = np.bincount(luma, minlength=256).cumsum()
    ignored = int(_IGNORED_SHARE * len(samples))
    dark, light = np.searchsorted(pixels_up_to, (ignored + 1, len(samples) - ignored))
    black = min(float(dark), _MAX_SHIFT)
    gain = min(255 / max(float(light) - black, 1.0), _MAX_GAIN)
    return max(gain, 1.0), -black * max(gain, 1.0)


def clean_up(image: Any, levels: Levels) -> Any:
    """Return the 8-bit picture with these levels, its edges sharpened."""
    gain, offset = levels
    values = np.clip(np.rint(np.arange(256) * gain + offset), 0, 255).astype(np.uint8).tobytes()
    table = pyvips.Image.new_from_memory(values, 256, 1, 1, "uchar")
    mask = pyvips.Image.new_from_array(_SHARPENED, scale=sum(map(sum, _SHARPENED)))
    return image.maplut(table).conv(mask, precision="integer")
