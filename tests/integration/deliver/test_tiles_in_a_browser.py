"""Chromium shows the tiles of every writer's pyramids in the colours of other decoders."""

import base64
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from vitrine.deliver.embed.jpeg import icc_segments
from vitrine.deliver.embed.srgb import SRGB
from vitrine.deliver.pyramids.level import read_level
from vitrine.deliver.tiles.assembly import TileAssembly
from vitrine.deliver.tiles.crop import crop
from vitrine.store.tiff.pyramid import read_levels
from vitrine.store.tiff.reading import TiffReader

CHROMIUM = "/usr/bin/chromium"
DRAW = """async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return Array.from(context.getImageData(0, 0, image.width, image.height).data);
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page()
        browser.close()


def whole_tile(quality: int) -> bytes:
    """A tile of libvips' own pyramid: RGB from quality 90 on."""
    y, x = np.mgrid[0:300, 0:300]
    pixels = np.stack([x * 255 / 300, y * 255 / 300, (x + y) % 256], axis=-1).astype("u1")
    data: bytes = pyvips.Image.new_from_array(pixels).tiffsave_buffer(
        tile=True, tile_width=256, tile_height=256, pyramid=True, compression="jpeg", Q=quality
    )
    [level, *_] = read_levels(TiffReader(lambda start, size: data[start : start + size], len(data)))
    offset, count = level.tiles[0]
    assembly = TileAssembly(read_level(level, len(data)), icc_segments(SRGB))
    jpeg = assembly.assemble(data[offset : offset + count])
    assert jpeg
    return jpeg


@pytest.mark.parametrize("quality", [85, 92])
@pytest.mark.parametrize("size", [(256, 256), (188, 77)])
def test_a_browser_sees_what_pillow_sees(page: Page, quality: int, size: tuple[int, int]) -> None:
    jpeg = crop(whole_tile(quality), *size)
    assert jpeg
    address = "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
    seen: Any = np.array(page.evaluate(DRAW, address)).reshape(size[1], size[0], 4)[:, :, :3]
    expected = np.asarray(Image.open(io.BytesIO(jpeg))).astype(int)
    assert np.abs(seen - expected).max() <= 2
