"""The masters of these tests: one whose pixels say where they are, one that does not compress."""

from pathlib import Path

import numpy as np
import pyvips
from numpy.typing import NDArray

RAMP = "contained-ramp"
RAMP_SIZE = (1300, 1000)
NOISE = "contained-noise"
NOISE_SIZE = (4000, 4000)


def draw_ramp(path: Path) -> None:
    """Red grows to the right, green downwards."""
    xyz = pyvips.Image.xyz(*RAMP_SIZE)
    red, green = xyz[0] * 255 / RAMP_SIZE[0], xyz[1] * 255 / RAMP_SIZE[1]
    _save(red.bandjoin([green, 128]), path)


def draw_noise(path: Path) -> None:
    """As JPEG, more bytes than all the buffers between the gateway and a client can hold."""
    bands = [pyvips.Image.gaussnoise(*NOISE_SIZE, mean=128, sigma=60) for _ in range(3)]
    _save(bands[0].bandjoin(bands[1:]), path)


def _save(picture: pyvips.Image, path: Path) -> None:
    picture.cast("uchar").copy(interpretation="srgb").tiffsave(str(path))


def assert_ramp(pixels: NDArray[np.int_], box: tuple[int, int, int, int]) -> None:
    """That the pixels are those of a box (left, top, width, height) of the ramp, at any scale."""
    left, top, width, height = box
    rows, columns, _ = pixels.shape
    x = left + (np.arange(columns) + 0.5) * width / columns
    y = top + (np.arange(rows) + 0.5) * height / rows
    assert np.abs(pixels[:, :, 0] - x[None, :] * 255 / RAMP_SIZE[0]).max() < 8
    assert np.abs(pixels[:, :, 1] - y[:, None] * 255 / RAMP_SIZE[1]).max() < 8
