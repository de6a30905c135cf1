"""Fidelity of a derivative that may be turned, gray or enlarged: PSNR against Lanczos."""

from collections import OrderedDict
from typing import Any

import numpy as np
from PIL import Image

from loadtest.figures.delivered_quality import (
    REFERENCE,
    Pixels,
    decode_jpeg,
    psnr_db,
    render_reference,
)

METHOD = (
    f"{REFERENCE}; enlargements: Pillow's Lanczos, centred; gray: ITU-R BT.601 luma of the same"
)
_KEPT = 8
"""References of a picture at once: the largest have 50 MB."""
_MARGIN = 16
"""Pixels around an enlarged region that the filter may see."""

Box = tuple[int, int, int, int]


class RenderedFidelity:
    """Compares derivatives with careful reductions of one picture."""

    def __init__(self, picture: Any) -> None:
        self._picture = picture
        self._kept: OrderedDict[tuple[Box, tuple[int, int]], Pixels] = OrderedDict()

    def psnr_db(self, jpeg: bytes, box: Box, *, rotation: int = 0, gray: bool = False) -> float:
        """Return decibels of a JPEG made from `box` (x, y, width, height). Raises OSError.

        `rotation` is by multiples of 90 degrees, clockwise.
        """
        pixels = decode_jpeg(jpeg)
        upright = np.rot90(pixels, rotation // 90)
        expected = self._reference_pixels(box, (upright.shape[1], upright.shape[0]))
        if gray:
            luma = np.asarray(Image.fromarray(expected).convert("L"))
            expected = np.repeat(luma[:, :, None], 3, axis=2)
        return psnr_db(expected, upright)

    def _reference_pixels(self, box: Box, size: tuple[int, int]) -> Pixels:
        key = (box, size)
        if key not in self._kept:
            enlarges = size[0] > box[2] or size[1] > box[3]
            make = enlarged_reference if enlarges else render_reference
            self._kept[key] = make(self._picture, box, size)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


def enlarged_reference(picture: Any, box: Box, size: tuple[int, int]) -> Pixels:
    """Return a region of a libvips image enlarged to `size`, its centre where it was."""
    x, y, width, height = box
    left, top = max(0, x - _MARGIN), max(0, y - _MARGIN)
    right = min(picture.width, x + width + _MARGIN)
    bottom = min(picture.height, y + height + _MARGIN)
    part = Image.fromarray(picture.crop(left, top, right - left, bottom - top).numpy())
    inner = (x - left, y - top, x - left + width, y - top + height)
    return np.asarray(part.resize(size, Image.Resampling.LANCZOS, box=inner))
