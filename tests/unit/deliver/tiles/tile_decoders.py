"""What several decoders make of a JPEG."""

import io
from typing import Any

import numpy as np
import pyvips
from PIL import Image


def by_pillow(jpeg: bytes) -> Any:
    """(rows, columns, 3), or (rows, columns, 1) of a gray one."""
    image = Image.open(io.BytesIO(jpeg))
    image.load()
    pixels = np.asarray(image)
    return pixels if pixels.ndim == 3 else pixels[:, :, None]


def by_libvips(jpeg: bytes) -> Any:
    """As `by_pillow`; what libvips warns of is an error."""
    return (
        pyvips.Image.new_from_buffer(jpeg, "", fail_on="warning")
        .numpy()
        .reshape(by_pillow(jpeg).shape)
    )


def markers(jpeg: bytes) -> list[int]:
    """Second bytes of the markers before the first scan, and the last marker's."""
    found, at = [jpeg[1]], 2
    while found[-1] != 0xDA:
        assert jpeg[at] == 0xFF
        found.append(jpeg[at + 1])
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return [*found, jpeg[-1]]
