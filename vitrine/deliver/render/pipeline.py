"""Scaling, turning and recolouring of pixels with libvips, in a thread, strip by strip."""

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pyvips
from PIL import Image
from PIL.Image import Resampling

from vitrine.deliver.render.geometry import Cut, RenderPlan
from vitrine.deliver.render.jpeg_codec import Pixels
from vitrine.iiif.rotation import Rotation

KERNEL = "lanczos3"

_M_MMAP_THRESHOLD = -3
_MMAP_THRESHOLD_BYTES = 256 << 10
_LARGE_SHRINK = 4.0
_GAP = 2.0
_SHIFT_TAPS, _SHIFT_SCALE = 7, 64
_MIN_CONTRAST, _HALF_WHITE = 8, 127
_LUMA = [0.299, 0.587, 0.114]  # ITU-R BT.601, as JPEG's Y


@cache
def prepare_libvips() -> None:
    """Set libvips up once per process, before the first image.

    No cache of operations: it would answer for a file whose blocks have changed since. One
    thread per image: the pools decide how many renders run. A fixed threshold, so that large
    buffers return to the system instead of glibc's arenas.
    """
    pyvips.cache_set_max(0)
    pyvips.concurrency_set(1)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)


def wrap_pixels(pixels: Pixels) -> Any:
    """Wrap contiguous pixels, or a view into such, in a pyvips image; `pixels` must outlive it."""
    picture = pixels if pixels.flags.c_contiguous else pixels.base
    assert picture is not None
    bands = 1 if picture.ndim == 2 else picture.shape[2]
    height, width = picture.shape[:2]
    image = pyvips.Image.new_from_memory(picture.data, width, height, bands, "uchar")
    image = image.copy(interpretation="b-w" if bands == 1 else "srgb")
    if picture is pixels:
        return image
    row, rest = divmod(pixels.ctypes.data - picture.ctypes.data, picture.strides[0])
    return image.crop(rest // bands, row, pixels.shape[1], pixels.shape[0])


def scale(image: Any, plan: RenderPlan) -> Any:
    """Reduce `image`, which is the plan's box, to the plan's size; see `enlarge` for the rest."""
    image = _shift_pixels(image, plan)
    down, across = plan.down, plan.across
    if down.shrink > 1:
        image = image.reducev(down.shrink, kernel=KERNEL, **_reduction_gap(down))
    if across.shrink > 1:
        image = image.reduceh(across.shrink, kernel=KERNEL, **_reduction_gap(across))
    return image


def enlarge(pixels: Pixels, plan: RenderPlan) -> Pixels:
    """Return gray or RGB pixels at the plan's size, the middle where it was.

    libvips' own enlargement displaces them by up to half a pixel, and takes twice as long.
    """
    gray = pixels.ndim == 3 and pixels.shape[2] == 1
    image = Image.fromarray(pixels[..., 0] if gray else pixels)
    return np.asarray(image.resize((plan.width, plan.height), Resampling.LANCZOS))


def turn(image: Any, rotation: Rotation) -> Any:
    """Mirror, then turn clockwise. Needs `image` in memory: pixels are read in any order."""
    if rotation.mirrored:
        image = image.fliphor()
    match rotation.degrees:
        case 90:
            return image.rot90()
        case 180:
            return image.rot180()
        case 270:
            return image.rot270()
        case _:
            return image


def make_gray(image: Any) -> Any:
    """Reduce an image to one band of luma."""
    if image.bands == 1:
        return image
    luma = image.recomb([_LUMA])
    return (luma + 0.5).cast("uchar").copy(interpretation="b-w")


def make_bitonal(image: Any, threshold: int) -> Any:
    """Make an image black up to the threshold and white above, in one band."""
    return (make_gray(image) > threshold).copy(interpretation="b-w")


def find_threshold(pixels: Pixels) -> int:
    """Return the luma that separates light from dark best. Source: N. Otsu, 1979.

    It is half of white where the two hardly differ, as in a picture of one colour.
    """
    luma = pixels if pixels.ndim == 2 else (pixels * np.array(_LUMA)).sum(axis=2)
    counts = np.bincount(luma.astype(np.uint8).ravel(), minlength=256)
    below = np.cumsum(counts)
    above = below[-1] - below
    weight = np.cumsum(counts * np.arange(256))
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.abs(weight / below - (weight[-1] - weight) / above)
        separation = np.nan_to_num(below * above * apart**2, posinf=0.0)
    best = int(np.argmax(separation))
    return best if separation[best] and apart[best] >= _MIN_CONTRAST else _HALF_WHITE


def convert_to_srgb(image: Any) -> Any:
    """Convert an image of any TIFF to 8-bit sRGB or gray, on white."""
    if image.interpretation not in ("srgb", "b-w") or image.format != "uchar":
        image = image.colourspace("srgb")
    if image.hasalpha():
        image = image.flatten(background=255)
    return image.cast("uchar") if image.format != "uchar" else image


def _reduction_gap(cut: Cut) -> dict[str, float]:
    """Apply a box filter first if the factor is so large that the difference is invisible."""
    return {"gap": _GAP} if cut.shrink >= _LARGE_SHRINK else {}


def _shift_pixels(image: Any, plan: RenderPlan) -> Any:
    if plan.down.shift:
        image = image.conv(_shift_weights(plan.down.shift).rot90(), precision="integer")
    if plan.across.shift:
        image = image.conv(_shift_weights(plan.across.shift), precision="integer")
    return image


def _shift_weights(distance: float) -> Any:
    """Return a row of weights that reads `distance` pixels further right (Lanczos, 3 lobes)."""
    offsets = np.arange(_SHIFT_TAPS) - _SHIFT_TAPS // 2 - distance
    weights = np.sinc(offsets) * np.sinc(offsets / 3) * (abs(offsets) < 3)
    whole = np.rint(weights / weights.sum() * _SHIFT_SCALE)
    whole[int(np.argmax(whole))] += _SHIFT_SCALE - whole.sum()
    return pyvips.Image.new_from_array([whole.tolist()], scale=_SHIFT_SCALE)
