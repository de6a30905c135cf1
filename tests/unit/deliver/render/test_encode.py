"""What encoders write besides pixels, and bitonal pictures of hardly any contrast."""

import io
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image

from tests.unit.ingest.made_pyramids import image_of
from vitrine.deliver.render.encode import encode_image
from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.pipeline import find_threshold, make_bitonal

GRAIN = np.random.default_rng(1).integers(0, 4, (64, 64, 3)).astype("u1")


def encoded(pixels: Any, format_name: str, *, bitonal: bool = False) -> bytes:
    image = image_of(pixels)
    if bitonal:
        image = make_bitonal(image, find_threshold(image))
    return encode_image(image, format_name, RenderJob(), bitonal=bitonal)


@pytest.mark.parametrize("format_name", ["png", "tif", "jpg"])
def test_the_same_resolution_is_said_in_every_format(format_name: str) -> None:
    with Image.open(io.BytesIO(encoded(GRAIN, format_name))) as image:
        said = image.info.get("dpi", (72, 72))
    assert said == pytest.approx((72, 72), abs=0.01)


@pytest.mark.parametrize(("width", "factors"), [(256, (1, 1)), (257, (2, 2))])
def test_only_small_jpegs_keep_all_their_colours(width: int, factors: tuple[int, int]) -> None:
    body = encoded(np.zeros((256, width, 3), "u1"), "jpg")
    with Image.open(io.BytesIO(body)) as image:
        luma = image.layer[0]  # (component, horizontal and vertical factor, table)
    assert (luma[1], luma[2]) == factors


def test_a_still_gif_does_not_loop() -> None:
    with Image.open(io.BytesIO(encoded(GRAIN, "gif"))) as image:
        assert "loop" not in image.info


@pytest.mark.parametrize("tone", [0, 5, 40, 100, 150, 240, 252])
@pytest.mark.parametrize("grain", [0, 1], ids=["even", "grainy"])
def test_a_picture_of_one_tone_becomes_black_if_it_is_dark(tone: int, grain: int) -> None:
    pixels = (np.full((64, 64, 3), tone, "u1") + grain * GRAIN).astype("u1")
    result = pyvips.Image.new_from_buffer(encoded(pixels, "png", bitonal=True), "").numpy()
    assert set(np.unique(result)) == {0 if tone < 127 else 255}


def test_text_on_dark_paper_is_still_legible() -> None:
    pixels = np.full((64, 64, 3), 60, "u1")
    pixels[20:30] = 20
    result = pyvips.Image.new_from_buffer(encoded(pixels, "png", bitonal=True), "").numpy()
    assert result[0, 0] == 255
    assert result[25, 5] == 0


@pytest.mark.parametrize("format_name", ["png", "tif", "webp", "gif", "avif"])
def test_a_bitonal_picture_has_two_tones(format_name: str) -> None:
    shades = np.random.default_rng(5).integers(0, 256, (200, 200, 3)).astype("u1")
    body = encoded(shades, format_name, bitonal=True)
    assert set(np.unique(pyvips.Image.new_from_buffer(body, "").numpy())) == {0, 255}
