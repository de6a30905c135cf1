"""Fidelity does not depend on how a derivative is turned, and sees displaced enlargements."""

import io

import numpy as np
import pytest
import pyvips
from PIL import Image

from loadtest.figures.rendered_fidelity import RenderedFidelity

BOX = (100, 60, 120, 80)


@pytest.fixture(scope="module")
def picture() -> pyvips.Image:
    noise = pyvips.Image.gaussnoise(400, 300, seed=1).gaussblur(2)
    bands = [noise * scale + 60 for scale in (0.5, 0.9, 0.2)]
    colour = bands[0].bandjoin(bands[1:]).cast("uchar").copy(interpretation="srgb")
    return colour.copy_memory()


def jpeg(pixels: Image.Image) -> bytes:
    buffer = io.BytesIO()
    pixels.save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def reduced(picture: pyvips.Image, box: tuple[int, int, int, int]) -> Image.Image:
    whole = Image.fromarray(picture.numpy())
    x, y, width, height = box
    return whole.resize((60, 40), Image.Resampling.LANCZOS, box=(x, y, x + width, y + height))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_turned_derivative_is_compared_upright(picture: pyvips.Image, rotation: int) -> None:
    upright = reduced(picture, BOX)
    turned = upright.rotate(-rotation, expand=True)
    fidelity = RenderedFidelity(picture)
    expected = fidelity.psnr_db(jpeg(upright), BOX)
    assert fidelity.psnr_db(jpeg(turned), BOX, rotation=rotation) == pytest.approx(expected, abs=1)


def test_a_gray_derivative_is_compared_with_luma(picture: pyvips.Image) -> None:
    gray = reduced(picture, BOX).convert("L")
    fidelity = RenderedFidelity(picture)
    assert fidelity.psnr_db(jpeg(gray), BOX, gray=True) > 35
    assert fidelity.psnr_db(jpeg(gray), BOX) < 30


def test_an_enlargement_displaced_by_half_a_pixel_is_seen(picture: pyvips.Image) -> None:
    whole = Image.fromarray(np.asarray(picture.numpy()))
    x, y, width, height = 100, 60, 50, 40

    def enlarged(shift: float) -> bytes:
        box = (x + shift, y + shift, x + shift + width, y + shift + height)
        return jpeg(whole.resize((100, 80), Image.Resampling.LANCZOS, box=box))

    fidelity = RenderedFidelity(picture)
    centred, displaced = (
        fidelity.psnr_db(enlarged(shift), (x, y, width, height)) for shift in (0, 0.5)
    )
    assert centred > displaced + 3
