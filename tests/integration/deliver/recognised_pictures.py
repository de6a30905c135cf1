"""Pictures in which every place is known, and the judge who says whether an answer shows it."""

import tempfile
from pathlib import Path

import numpy as np
import pyvips

from tests.integration.deliver.deliver_pictures import Pixels, coordinates_picture
from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.recipe import STANDARD

CELL = 16
TOLERANCE = 14.0
"""Difference, of 255, in the mean of a cell: grain and JPEG stay below, another place does not."""


def write_ours(picture: pyvips.Image, path: Path) -> None:
    """An access master as ingest writes it."""
    with tempfile.TemporaryDirectory() as scratch:
        output = to_file(path)
        write_access_master(picture, Metadata(), STANDARD, output, Path(scratch), lambda rows: None)


def grainy(picture: pyvips.Image) -> pyvips.Image:
    """With so much grain that its file has many blocks."""
    noise = pyvips.Image.gaussnoise(picture.width, picture.height, sigma=12, seed=9)
    grained = (picture * 0.8 + 25 + noise).cast("uchar").copy(interpretation="srgb")
    return grained.copy_memory()


def grainy_coordinates(width: int, height: int) -> pyvips.Image:
    """Every place has its colour."""
    return grainy(coordinates_picture(width, height))


def grainy_colour(width: int, height: int, colour: tuple[int, int, int]) -> pyvips.Image:
    """One colour everywhere."""
    plain = pyvips.Image.black(width, height, bands=3) + colour
    return grainy(plain.cast("uchar").copy(interpretation="srgb"))


def cells(body: bytes) -> Pixels:
    """Mean colours of the cells of an encoded image. Raises pyvips.Error for what is damaged."""
    image = pyvips.Image.new_from_buffer(body, "", fail_on="warning")
    return _means(image.numpy())


def shows(body: bytes, picture: pyvips.Image, parameters: str) -> bool:
    """Whether an encoded image is the region at the size that `parameters` name in numbers."""
    region, size = (part.split(",") for part in parameters.split("/")[:2])
    x, y, width, height = (int(number) for number in region)
    expected_size = int(size[0]), int(size[1])
    image = pyvips.Image.new_from_buffer(body, "", fail_on="warning")
    if (image.width, image.height) != expected_size:
        return False
    part = picture.crop(x, y, width, height)
    scaled = part.resize(
        expected_size[0] / width, vscale=expected_size[1] / height, kernel="linear"
    )
    expected = scaled.crop(0, 0, *expected_size).numpy()
    return bool(np.abs(_means(image.numpy()) - _means(expected)).max() < TOLERANCE)


def _means(pixels: Pixels) -> Pixels:
    height, width = (max(side // CELL, 1) for side in pixels.shape[:2])
    rows, columns = min(CELL, pixels.shape[0]), min(CELL, pixels.shape[1])
    whole = pixels[: height * rows, : width * columns].astype(float)
    return np.asarray(whole.reshape(height, rows, width, columns, -1).mean(axis=(1, 3)))
