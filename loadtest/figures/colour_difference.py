"""Colour difference of served pixels from the master, in CIEDE2000.

The reference is computed from the definition of Adobe RGB (1998) in floating point, not with
the colour engine that the conversion uses, so that the two cannot share a mistake.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from skimage.color import deltaE_ciede2000, rgb2lab, xyz2lab

_GAMMA = 563 / 256
_TO_XYZ = np.array(
    [
        [0.57667, 0.18556, 0.18823],
        [0.29734, 0.62736, 0.07529],
        [0.02703, 0.07069, 0.99134],
    ]
)
"""Linear Adobe RGB to XYZ, D65 (Adobe RGB (1998) Color Image Encoding, 4.3.5.3)."""

Floats = NDArray[np.floating[Any]]


def adobe_rgb_to_lab(pixels: NDArray[np.uint16]) -> Floats:
    """16-bit Adobe RGB, (h, w, 3), to CIELAB under D65."""
    linear = (pixels.astype(np.float64) / 65535) ** _GAMMA
    lab: Floats = xyz2lab(linear @ _TO_XYZ.T)
    return lab


def difference_from_adobe_rgb(master: NDArray[np.uint16], served: NDArray[np.uint8]) -> Floats:
    """CIEDE2000 per pixel between a 16-bit Adobe RGB master and served 8-bit sRGB."""
    difference: Floats = deltaE_ciede2000(adobe_rgb_to_lab(master), rgb2lab(served))
    return difference
