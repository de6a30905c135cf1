"""Encoders of the formats that are offered; metadata is embedded later."""

from collections.abc import Callable
from typing import Any

import pyvips

from vitrine.deliver.render.job import Job
from vitrine.deliver.render.jpeg_codec import Pixels, encode_pixels

JPEG_QUALITY = 90
JPEG_SUBSAMPLING = (2, 2)
"""4:2:0, as iipsrv writes: 4:4:4 takes a fifth more bytes."""
_WEBP_QUALITY = 85

_SAVERS: dict[str, Callable[[Any], Any]] = {
    "jpg": lambda image: image.jpegsave_buffer(Q=JPEG_QUALITY, subsample_mode="on", keep="none"),
    "png": lambda image: image.pngsave_buffer(compression=3, filter="up", keep="none"),
    "webp": lambda image: image.webpsave_buffer(Q=_WEBP_QUALITY, effort=2, keep="none"),
    "tif": lambda image: image.tiffsave_buffer(
        compression="deflate", predictor="horizontal", keep="none"
    ),
    "gif": lambda image: image.gifsave_buffer(effort=4, keep="none"),
}


def encode_jpeg(pixels: Pixels, job: Job) -> bytes:
    """Encode (rows, columns, 3) RGB pixels in memory as a JPEG. Raises Abandoned."""
    job.check()
    return encode_pixels(pixels, JPEG_QUALITY, JPEG_SUBSAMPLING)


def encode_image(image: Any, format_name: str, job: Job) -> bytes:
    """Encode a pyvips image, computed strip by strip. Raises Abandoned, pyvips.Error."""
    try:
        return bytes(_SAVERS[format_name](job.watch(image)))
    except pyvips.Error:
        job.check()
        raise


def compute_image(image: Any, job: Job) -> Any:
    """Compute a pyvips image into memory. Raises Abandoned, pyvips.Error."""
    try:
        return job.watch(image).copy_memory()
    except pyvips.Error:
        job.check()
        raise
