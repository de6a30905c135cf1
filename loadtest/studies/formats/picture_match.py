"""A check that an answer shows the requested pixels: a fast grey answer proves nothing."""

from typing import Any

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from loadtest.studies.formats.encoded_pyramid import Pixels
from loadtest.workload.target import INFO, Target
from vitrine.errors import RequestError
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2

_SIDE = 256
_MIN_DECIBELS = 20.0
_MIN_CONTRAST = 0.5
_FLAT = 1.0
"""Standard deviation of 8-bit values below which contrast says nothing."""
_NO_LIMIT = Limits(area=1 << 40, side=1 << 20)


def wrong_pixels(target: Target, body: bytes, picture: Pixels) -> str:
    """Return what is wrong with a JPEG, "" if nothing is. Compared at 256 pixels at most."""
    if target.kind == INFO:
        return ""
    address = parse_address(target.path)
    if address is None:
        return "no address of an image"
    try:
        expected = resolve(
            parse_image_request(address.parameters, V2),
            picture.shape[1],
            picture.shape[0],
            _NO_LIMIT,
        )
    except RequestError:  # a list may have those, and servers differ in what they make of them
        return ""
    shown: Pixels = imagecodecs.jpeg8_decode(body)
    height, width = shown.shape[:2]
    if abs(width - expected.width) > 1 or abs(height - expected.height) > 1:
        return f"is {width} x {height}, not {expected.width} x {expected.height} pixels"
    box = expected.region
    region = picture[box.y : box.y + box.height, box.x : box.x + box.width]
    scale = min(1.0, _SIDE / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return _describe_difference(_reduce_pixels(shown, size), _reduce_pixels(region, size))


def _reduce_pixels(pixels: Pixels, size: tuple[int, int]) -> NDArray[Any]:
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, axis=2)
    image = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(image.resize(size, Image.Resampling.BOX)).astype(np.float32)


def _describe_difference(shown: NDArray[Any], expected: NDArray[Any]) -> str:
    contrast = float(expected.std())
    if contrast > _FLAT and float(shown.std()) < _MIN_CONTRAST * contrast:
        return "other pixels: flat, where the picture is not"
    error = float(np.square(shown - expected).mean())
    decibels = 10 * np.log10(255**2 / max(error, 1e-6))
    if decibels < _MIN_DECIBELS:
        return f"other pixels: {decibels:.1f} dB"
    return ""
