"""What tests of the conversion measure with; the colour arithmetic is that of the corpus."""

from pathlib import Path
from typing import Any

import pyvips

from tests.rigs.corpora.corpus_colours import (
    ADOBE_GAMMA,
    ADOBE_TO_XYZ,
    adobe_to_srgb,
    cmyk_to_srgb,
    encode_srgb,
    icc_profile,
)

__all__ = [
    "ADOBE_GAMMA",
    "ADOBE_TO_XYZ",
    "adobe_to_srgb",
    "cmyk_to_srgb",
    "difference",
    "encode_srgb",
    "icc_profile",
    "mean_difference",
]


def difference(pixels: Any, expected: Any) -> float:
    """Mean ΔE00 of two pictures, sRGB 0 to 1."""
    from skimage.color import deltaE_ciede2000, rgb2lab  # with all of SciPy

    assert pixels.shape == expected.shape
    return float(deltaE_ciede2000(rgb2lab(pixels), rgb2lab(expected)).mean())


def mean_difference(served: Path, expected: Any) -> float:
    """Mean ΔE00 of an access master's full resolution against sRGB 0 to 1."""
    return difference(pyvips.Image.tiffload(str(served)).numpy() / 255, expected)
