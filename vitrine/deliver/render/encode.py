"""Encoders of the formats that are offered; metadata is embedded later."""

from collections.abc import Callable
from typing import Any

import pyvips

from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.jpeg_codec import encode_pixels
from vitrine.deliver.render.pixels import Pixels

JPEG_QUALITY = 90
FULL_COLOUR_PIXELS = 65_536
"""Up to here a JPEG's colours have all its pixels (4:4:4), beyond a quarter of them (4:2:0).

Up to here, a quarter of the colours costs 3 dB and 0.6 Delta E00 or more (the most colourful of
four photographs: 4 to 5 dB) and saves a quarter of few bytes; at 1024 pixels a side it costs 1.4 dB
and 0.3 (ADR 0007). The script that starts iipsrv has the same number.
"""
_WEBP_QUALITY = 85
AVIF_QUALITY = 65
_PIXELS_PER_MILLIMETRE = 72 / 25.4
"""In all formats, as in the EXIF of JPEGs: the master's resolution does not apply."""
_PLAYED_ONCE = 1

_SAVERS: dict[str, Callable[[Any], Any]] = {
    "jpg": lambda image: image.jpegsave_buffer(
        Q=JPEG_QUALITY,
        subsample_mode="off" if _keeps_colours(image) else "on",
        keep="none",
    ),
    "png": lambda image: image.pngsave_buffer(compression=3, filter="up", keep="none"),
    "lossless webp": lambda image: image.webpsave_buffer(lossless=True, effort=2, keep="none"),
    "webp": lambda image: image.webpsave_buffer(Q=_WEBP_QUALITY, effort=2, keep="none"),
    "tif": lambda image: image.tiffsave_buffer(
        compression="deflate", predictor="horizontal", resunit="inch", keep="none"
    ),
    "gif": lambda image: image.gifsave_buffer(effort=4, keep="none"),
    # More effort takes 1.6 to 20 times the time and saves a fifth of the bytes at most (ADR 0032).
    "avif": lambda image: image.heifsave_buffer(
        compression="av1",
        Q=AVIF_QUALITY,
        effort=0,
        subsample_mode="off" if _keeps_colours(image) else "on",
        keep="none",
    ),
    "lossless avif": lambda image: image.heifsave_buffer(
        compression="av1", lossless=True, effort=0, keep="none"
    ),
}


def encode_jpeg(pixels: Pixels, job: RenderJob) -> bytes:
    """Encode RGB pixels in memory as a JPEG. Raises Abandoned."""
    job.check()
    small = pixels.box.width * pixels.box.height <= FULL_COLOUR_PIXELS
    return encode_pixels(pixels, JPEG_QUALITY, (1, 1) if small else (2, 2))


def _keeps_colours(image: Any) -> bool:
    return bool(image.width * image.height <= FULL_COLOUR_PIXELS)


def encode_image(image: Any, format_name: str, job: RenderJob, *, bitonal: bool = False) -> bytes:
    """Encode a pyvips image, computed strip by strip. Raises Abandoned, pyvips.Error.

    Where the format allows it, a bitonal image has no other tones than black and white.
    """
    image = image.copy(xres=_PIXELS_PER_MILLIMETRE, yres=_PIXELS_PER_MILLIMETRE)
    # Otherwise it is marked as an animation that is repeated for ever.
    image.set_type(pyvips.GValue.gint_type, "loop", _PLAYED_ONCE)
    lossless = f"lossless {format_name}"
    save = _SAVERS[lossless if bitonal and lossless in _SAVERS else format_name]
    try:
        return bytes(save(job.watch(image)))
    except pyvips.Error:
        job.check()
        raise


def compute_image(image: Any, job: RenderJob) -> Any:
    """Compute a pyvips image into memory. Raises Abandoned, pyvips.Error."""
    try:
        return job.watch(image).copy_memory()
    except pyvips.Error:
        job.check()
        raise
