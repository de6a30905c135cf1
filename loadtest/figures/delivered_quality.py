"""Fidelity of a delivered image: PSNR against a careful reduction of the picture itself."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]

REFERENCE = (
    "libvips reduce, Lanczos 3 without any box filter before it (gap 0), from full resolution of "
    "the picture before it was ever encoded, in sRGB values (not linear light), 8 bit"
)
"""The reference of PSNR, for reports."""


def render_reference(
    picture: Any, region: tuple[int, int, int, int], size: tuple[int, int]
) -> Pixels:
    """Return `region` (x, y, width, height) of a libvips image in `size` (width, height)."""
    x, y, width, height = region
    part = picture.crop(x, y, width, height)
    reduced = part.reduce(width / size[0], height / size[1], kernel="lanczos3", gap=0)
    pixels: Pixels = reduced.numpy()
    return pixels


def decode_jpeg(jpeg: bytes) -> Pixels:
    """Return the pixels of a JPEG, (h, w, 3). Raises OSError."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.asarray(image.convert("RGB"))


def psnr_db(one: Pixels, other: Pixels) -> float:
    """Return the peak signal to noise ratio over all bands in dB; infinite for equal pictures."""
    total = sum(
        _sum_squares(one[top : top + 512], other[top : top + 512]) for top in _strip_tops(one)
    )
    return float(10 * np.log10(255**2 * one.size / total)) if total else float("inf")


def _sum_squares(one: Pixels, other: Pixels) -> float:
    return float(np.sum((one.astype(np.int32) - other) ** 2, dtype=np.float64))


def _strip_tops(pixels: Pixels) -> Sequence[int]:
    return range(0, len(pixels), 512)
