"""Fidelity of an encoded image to its master: PSNR, SSIM, CIEDE2000, and a picture of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pyvips
from numpy.typing import NDArray
from PIL import Image
from skimage.color import deltaE_ciede2000, rgb2lab
from skimage.metrics import structural_similarity

from loadtest.figures.order_statistics import percentile

Pixels = NDArray[np.uint8]

_ROWS = 512
_AMPLIFIED = 16
_CROP = 256


def decode_picture(path: Path, jpeg2000: bool) -> Pixels:
    """Full resolution as (h, w, 3)."""
    if jpeg2000:
        import imagecodecs

        pixels: Pixels = imagecodecs.jpeg2k_decode(path.read_bytes())
        return pixels
    return np.asarray(pyvips.Image.new_from_file(str(path)).numpy())


def measure_fidelity(master: Pixels, encoded: Pixels) -> dict[str, float]:
    """Figures over all pixels."""
    error = np.mean((master.astype(np.int32) - encoded) ** 2, dtype=np.float64)
    differences = np.concatenate(
        [
            _ciede2000(master[top : top + _ROWS], encoded[top : top + _ROWS]).ravel()
            for top in range(0, len(master), _ROWS)
        ]
    )
    return {
        "psnr_db": round(float(10 * np.log10(255**2 / error)), 2),
        "ssim": round(float(structural_similarity(master, encoded, channel_axis=2)), 4),
        "delta_e_mean": round(float(differences.mean()), 3),
        "delta_e_p99": round(percentile(differences, 99), 3),
        "delta_e_max": round(float(differences.max()), 2),
    }


def difference_picture(master: Pixels, encoded: Pixels, path: Path) -> None:
    """Master, encoded, and 16 times their difference, side by side, from the middle."""
    top, left = (len(master) - _CROP) // 2, (master.shape[1] - _CROP) // 2
    a = master[top : top + _CROP, left : left + _CROP]
    b = encoded[top : top + _CROP, left : left + _CROP]
    difference = np.clip(128 + (b.astype(int) - a) * _AMPLIFIED, 0, 255).astype(np.uint8)
    Image.fromarray(np.hstack([a, b, difference])).save(path)


def _ciede2000(master: Pixels, encoded: Pixels) -> NDArray[np.float32]:
    difference: NDArray[Any] = deltaE_ciede2000(rgb2lab(master), rgb2lab(encoded))
    return difference.astype(np.float32)
