"""Scaling, turning and recolouring of pixels with libvips, in a thread, strip by strip."""

import ctypes
from functools import cache
from math import pi, sin
from typing import Any

import pyvips
from PIL import Image
from PIL.Image import Resampling

from vitrine.deliver.render.geometry import Cut, RenderPlan
from vitrine.deliver.render.pixels import Pixels
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
    """Return pixels as a pyvips image, which keeps their memory."""
    image = _wrap_memory(pixels.memory, pixels.width, pixels.height, pixels.bands)
    box = pixels.box
    if (box.width, box.height) == (pixels.width, pixels.height):
        return image
    return image.crop(box.x, box.y, box.width, box.height)


def _wrap_memory(memory: bytes | bytearray, width: int, height: int, bands: int) -> Any:
    image = pyvips.Image.new_from_memory(memory, width, height, bands, "uchar")
    return image.copy(interpretation="b-w" if bands == 1 else "srgb")


def scale(image: Any, plan: RenderPlan) -> Any:
    """Reduce `image`, which is the plan's box, to the plan's size; see `enlarge` for the rest."""
    image = _shift_pixels(image, plan)
    down, across = plan.down, plan.across
    if down.shrink > 1:
        image = image.reducev(down.shrink, kernel=KERNEL, **_reduction_gap(down))
    if across.shrink > 1:
        image = image.reduceh(across.shrink, kernel=KERNEL, **_reduction_gap(across))
    return image


def enlarge(image: Any, plan: RenderPlan) -> Any:
    """Return a gray or RGB image in memory at the plan's size, the middle where it was.

    libvips' own enlargement displaces it by up to half a pixel, and takes twice as long.
    """
    mode = "L" if image.bands == 1 else "RGB"
    size = image.width, image.height
    picture = Image.frombuffer(mode, size, image.write_to_memory(), "raw", mode, 0, 1)
    enlarged = picture.resize((plan.width, plan.height), Resampling.LANCZOS)
    return _wrap_memory(enlarged.tobytes(), plan.width, plan.height, image.bands)


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


def find_threshold(image: Any) -> int:
    """Return the luma that separates light from dark best. Source: N. Otsu, 1979.

    It is half of white where the two hardly differ, as in a picture of one colour.
    """
    (counts,) = make_gray(image).hist_find().tolist()
    pixels, total = sum(counts), sum(luma * count for luma, count in enumerate(counts))
    best, most, contrast = _HALF_WHITE, 0.0, 0.0
    below = weight = 0
    for luma, count in enumerate(counts):
        below, weight = below + count, weight + luma * count
        if not 0 < below < pixels:
            continue
        apart = abs(weight / below - (total - weight) / (pixels - below))
        separation = below * (pixels - below) * apart**2
        if separation > most:
            best, most, contrast = luma, separation, apart
    return best if contrast >= _MIN_CONTRAST else _HALF_WHITE


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
    offsets = [tap - _SHIFT_TAPS // 2 - distance for tap in range(_SHIFT_TAPS)]
    weights = [_sinc(x) * _sinc(x / 3) if abs(x) < 3 else 0.0 for x in offsets]
    total = sum(weights)
    whole = [round(weight / total * _SHIFT_SCALE) for weight in weights]
    whole[whole.index(max(whole))] += _SHIFT_SCALE - sum(whole)
    return pyvips.Image.new_from_array([whole], scale=_SHIFT_SCALE)


def _sinc(x: float) -> float:
    return sin(pi * x) / (pi * x) if x else 1.0
