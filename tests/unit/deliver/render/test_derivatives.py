"""Every renderer of this process makes what is requested, from nothing but what it had pinned."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips

from tests.unit.deliver.pyramids.open_rig import (
    HEIGHT,
    LIBVIPS,
    OTHERS,
    TILED,
    WIDTH,
    in_loop,
    made,
)
from tests.unit.deliver.render.render_rig import (
    PoisonedFile,
    WholeFile,
    pixels,
    pool,
    psnr,
    pyramid_of,
    resolve_path,
)
from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.libvips import Libvips
from vitrine.deliver.render.pipeline import prepare_libvips
from vitrine.deliver.render.planes import ThumbnailRenderer, is_thumbnail
from vitrine.deliver.render.rendering import Renderer
from vitrine.deliver.render.task import RenderTask, plan_task
from vitrine.errors import Unavailable

COMPRESSED = ("libvips-deflate", "libvips-lzw-16-bit", "libvips-zip-alpha")
WRITERS = ("ours", *LIBVIPS, *OTHERS, *COMPRESSED)
REQUESTS = (
    "full/max/0/default",
    "full/350,/0/default",
    "full/!200,200/0/default",
    "full/!99,99/0/default",
    "full/600,100/0/default",
    "square/300,/0/default",
    "37,41,400,400/200,200/0/default",
    "37,42,401,403/100,100/0/default",
    "300,200,256,256/256,256/0/default",
    "691,0,9,523/9,523/0/default",
    "690,500,10,23/7,11/0/default",
    "100,100,60,50/^240,200/0/default",
    "full/!200,200/90/default",
    "full/!200,200/!0/default",
    "full/!150,150/!270/default",
    "full/!200,200/180/gray",
)


@cache
def stored(writer: str) -> bytes:
    if writer not in COMPRESSED:
        return made(writer)
    image = image_of(picture(WIDTH, HEIGHT))
    if writer == "libvips-lzw-16-bit":
        image = image.colourspace("rgb16")
    if writer == "libvips-zip-alpha":
        image = image.bandjoin(255)
    compression = "lzw" if "lzw" in writer else "deflate"
    return bytes(image.tiffsave_buffer(compression=compression, **TILED))


@cache
def expected(path: str, writer: str) -> Any:
    """From full resolution, by libvips alone."""
    image = image_of(picture(WIDTH, HEIGHT))
    if writer == "libvips-gray":
        image = image.colourspace("b-w")
    request = resolve_path(path, _pyramid(stored(writer)))
    box = request.region
    image = image.crop(box.x, box.y, box.width, box.height)
    image = image.resize(request.width / box.width, vscale=request.height / box.height)
    if request.rotation.mirrored:
        image = image.fliphor()
    image = image.rot(f"d{request.rotation.degrees}")
    if request.quality == "gray" and image.bands == 3:
        image = image.recomb([[0.299, 0.587, 0.114]]).cast("uchar")
    array = image.numpy()
    return array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array


def _pyramid(data: bytes) -> OpenPyramid:
    return pyramid_of(WholeFile(data, Path("/dev/null")))


async def render(
    renderer: Renderer, path: str, file: WholeFile, takes: Callable[[RenderTask], bool]
) -> bytes | None:
    """None where the renderer does not take the task."""
    pyramid = pyramid_of(file)
    task = plan_task(pyramid.levels, resolve_path(path, pyramid))
    renders = pool()
    try:
        return await renderer.render(pyramid, task, renders) if takes(task) else None
    finally:
        renders.close()


def anything(task: RenderTask) -> bool:
    return True


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@in_loop
async def test_libvips_makes_what_is_asked_of_every_writers_pyramid(
    writer: str, tmp_path: Path
) -> None:
    file = PoisonedFile(stored(writer), tmp_path / "a.tif")
    for path in REQUESTS:
        body = await render(Libvips(), f"{path}.jpg", file, anything)
        assert body is not None
        actual, target = pixels(body), expected(f"{path}.jpg", writer)
        assert actual.shape == target.shape, path
        assert psnr(actual, target) > 28, path


@pytest.mark.parametrize("writer", ["ours", "libvips-ycbcr-420"])
@in_loop
async def test_planes_make_what_is_asked_of_pyramids_in_ycbcr(writer: str, tmp_path: Path) -> None:
    file, taken = PoisonedFile(stored(writer), tmp_path / "a.tif"), 0
    for path in REQUESTS:
        body = await render(ThumbnailRenderer(), f"{path}.jpg", file, is_thumbnail)
        if body is None:
            continue
        taken += 1
        actual, target = pixels(body), expected(f"{path}.jpg", writer)
        assert actual.shape == target.shape, path
        assert psnr(actual, target) > 28, path
    assert taken >= 3


@pytest.mark.parametrize("format_name", ["jpg", "png", "webp", "tif", "gif"])
@pytest.mark.parametrize("quality", ["default", "gray", "bitonal"])
@in_loop
async def test_every_format_holds_every_quality(
    format_name: str, quality: str, tmp_path: Path
) -> None:
    file = PoisonedFile(stored("ours"), tmp_path / "a.tif")
    body = await render(Libvips(), f"full/300,200/90/{quality}.{format_name}", file, anything)
    assert body is not None
    actual = pixels(body)
    assert actual.shape[:2] == (300, 200)
    if quality == "bitonal" and format_name != "jpg":
        assert set(np.unique(actual)) == {0, 255}


@in_loop
async def test_all_parts_of_an_image_have_one_bitonal_threshold(tmp_path: Path) -> None:
    file = PoisonedFile(stored("ours"), tmp_path / "a.tif")
    whole = await render(Libvips(), "full/max/0/bitonal.png", file, anything)
    part = await render(Libvips(), "300,200,100,100/max/0/bitonal.png", file, anything)
    assert whole is not None
    assert part is not None
    assert (pixels(whole)[200:300, 300:400] == pixels(part)).all()


@pytest.mark.parametrize("renderer", [Libvips(), ThumbnailRenderer()])
@in_loop
async def test_a_damaged_tile_is_never_shown(renderer: Renderer, tmp_path: Path) -> None:
    file = WholeFile(stored("ours"), tmp_path / "a.tif")
    offset, length = pyramid_of(file).levels[0].tile_range(0, 0)
    damaged = bytearray(file.data)
    damaged[offset + length // 2] ^= 1
    file = WholeFile(bytes(damaged), tmp_path / "b.tif")
    with pytest.raises(Unavailable, match="damaged"):
        await render(renderer, "0,0,200,200/max/0/default.jpg", file, anything)


@in_loop
async def test_a_damaged_tile_is_fetched_once_more(tmp_path: Path) -> None:
    class Mending(WholeFile):
        def forget(self, offset: int, length: int) -> None:
            super().forget(offset, length)
            self.path.write_bytes(self.data)

    file = Mending(stored("ours"), tmp_path / "a.tif")
    tile = pyramid_of(file).levels[0].tile_range(0, 0)
    file.path.write_bytes(file.data[: tile[0]] + bytes(tile[1]) + file.data[sum(tile) :])
    body = await render(Libvips(), "0,0,200,200/max/0/default.jpg", file, anything)
    assert body is not None
    assert psnr(pixels(body), picture(WIDTH, HEIGHT)[:200, :200]) > 30
    assert file.forgotten == [tile]


@in_loop
async def test_a_file_that_stays_damaged_is_unavailable(tmp_path: Path) -> None:
    file = WholeFile(stored("libvips-deflate"), tmp_path / "a.tif")
    file.path.write_bytes(file.data[:100])
    with pytest.raises(Unavailable, match="damaged"):
        await render(Libvips(), "full/max/0/default.jpg", file, anything)


@in_loop
async def test_pixels_next_to_the_region_do_not_bleed_into_a_thumbnail(tmp_path: Path) -> None:
    """Nor do those of the image that was rendered before, in the same memory."""
    white = np.full((HEIGHT, WIDTH, 3), 250, np.uint8)
    black = image_of(np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    white[:, :100] = 0
    files = [
        WholeFile(bytes(image.tiffsave_buffer(compression="jpeg", Q=80, **TILED)), tmp_path / name)
        for image, name in ((black, "black.tif"), (image_of(white), "white.tif"))
    ]
    for file, darkest in zip(files, (0, 235), strict=True):
        path = "104,0,100,300/50,150/0/default.jpg"
        body = await render(ThumbnailRenderer(), path, file, is_thumbnail)
        assert body is not None
        assert pixels(body).min() >= darkest


def test_a_thumbnail_decodes_no_more_than_two_tiles() -> None:
    pyramid = _pyramid(stored("ours"))
    taken = {
        path: is_thumbnail(plan_task(pyramid.levels, resolve_path(path, pyramid)))
        for path in (
            "full/!128,128/0/default.jpg",
            "full/!256,256/0/default.jpg",
            "full/!128,128/0/default.png",
            "full/!128,128/90/default.jpg",
            "full/!128,128/0/gray.jpg",
            "full/!400,400/0/default.jpg",
        )
    }
    assert [path for path, at_once in taken.items() if at_once] == ["full/!128,128/0/default.jpg"]


def test_libvips_keeps_nothing_of_a_file() -> None:
    prepare_libvips()
    assert pyvips.cache_get_max() == 0
