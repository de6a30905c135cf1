"""What each patch promises of iipsrv itself: ours keeps it, Debian's does not.

Without the gateway, which asks for nothing that would need most of it.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import JpegImagePlugin

from tests.integration.deliver.render.bare_iipsrv import OURS, UNPATCHED, Server, bare_iipsrv
from tests.integration.deliver.render.iipsrv_rig import REPOSITORY
from tests.integration.ingest import fastcgi
from tests.unit.deliver.render.render_rig import psnr
from tests.unit.ingest.made_pyramids import image_of

Start = Callable[..., Server]
RED, GREEN, BLUE = (250, 0, 0), (0, 250, 0), (0, 0, 250)
SOON = 20.0


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Start processes of the program under test."""
    running = []

    def begin(**settings: str) -> Server:
        manager = bare_iipsrv(program, **settings)
        running.append(manager)
        return manager.__enter__()

    yield begin
    for manager in running:
        manager.__exit__(None, None, None)


def flat(width: int, height: int, colour: tuple[int, int, int]) -> Any:
    return np.broadcast_to(np.array(colour, "u1"), (height, width, 3)).copy()


def detailed(width: int, height: int) -> Any:
    """Rings of all widths, as fine as pixels: what is skipped of them aliases."""
    y, x = np.mgrid[0:height, 0:width]
    rings = 128 + 90 * np.cos((x * x + y * y) / (0.9 * width))
    return np.repeat(rings.astype("u1")[..., None], 3, axis=2)


def halve(pixels: Any) -> Any:
    """The next level, its odd last row and column dropped: rounded down."""
    height, width = (side // 2 * 2 for side in pixels.shape[:2])
    boxes = pixels[:height, :width].astype("u2").reshape(height // 2, 2, width // 2, 2, -1)
    return ((boxes.sum(axis=(1, 3)) + 2) // 4).astype("u1")


def shrink(pixels: Any, width: int, height: int) -> Any:
    """Return what libvips' Lanczos makes of all pixels."""
    image = image_of(pixels)
    scaled = image.resize(width / image.width, vscale=height / image.height, kernel="lanczos3")
    return scaled.numpy()


def chooses_the_smallest_level_that_suffices(start: Start) -> None:
    server = start()
    for name, sizes in {"up": (301, 151), "down": (301, 150)}.items():
        server.store(f"{name}.tif", flat(601, 601, RED), *map(flat, sizes, sizes, (GREEN, BLUE)))
        for width, expected in ((301, GREEN), (302, RED), (151, BLUE), (152, GREEN)):
            shown = server.pixels(f"IIIF={name}.tif/full/{width},/0/default.jpg")
            assert np.abs(shown.mean((0, 1)) - expected).max() < 12, (name, width)


def reads_the_level_that_it_is_told(start: Start) -> None:
    server = start()
    server.store("a.tif", flat(400, 300, RED), flat(200, 150, GREEN), flat(100, 75, BLUE))
    for resolution, expected in enumerate((BLUE, GREEN, RED)):
        shown = server.pixels(f"RES={resolution}&IIIF=a.tif/0,0,400,300/90,70/0/default.jpg")
        assert np.abs(shown.mean((0, 1)) - expected).max() < 12, resolution


def survives_regions_that_a_level_lacks(start: Start) -> None:
    server = start()
    levels = [detailed(1028, 19)]
    while max(levels[-1].shape) > 128:
        levels.append(halve(levels[-1]))
    server.store("flat.tif", *levels)
    server.store("tall.tif", *(level.swapaxes(0, 1) for level in levels))
    for start_at in (16, 17, 18):
        for side in (1, 32, 64, 127, 128, 129, 256, 257, 258, 513, 514, 515):
            length = 19 - start_at
            wide = f"IIIF=flat.tif/0,{start_at},1028,{length}/{side},1/0/default.jpg"
            high = f"IIIF=tall.tif/{start_at},0,{length},1028/1,{side}/0/default.jpg"
            assert server.image(wide).size == (side, 1)
            assert server.image(high).size == (1, side)
    assert server.is_alive


def refuses_levels_that_differ(start: Start) -> None:
    server = start()
    server.store("mixed.tif", flat(200, 200, RED), np.full((100, 100), 9, "u1"))
    assert b"differ" in server.body("IIIF=mixed.tif/full/90,90/0/default.jpg")
    assert server.image("IIIF=mixed.tif/0,0,100,100/90,90/0/default.jpg").size == (90, 90)


def refuses_regions_whose_bytes_are_not_counted(start: Start) -> None:
    server, side = start(), 1 << 16
    server.store_first_tile("vast.tif", side, np.zeros((4096, 4096), "u1"))
    assert b"too large" in server.body("IIIF=vast.tif/full/400,400/0/default.jpg")
    assert server.is_alive
    begin = f"0,0,{side // 32},{side // 32}"
    assert server.image(f"IIIF=vast.tif/{begin}/90,90/0/default.jpg").size == (90, 90)


def turns_by_right_angles_only(start: Start) -> None:
    server, pixels = start(), detailed(90, 60)
    server.store("a.tif", pixels)
    upright = server.pixels("FIF=a.tif&WID=90&CVT=jpeg")
    for angle, turns in {"-90": 1, "450": 3, "1e30": 0, "nan": 0, "45": 0}.items():
        shown = server.pixels(f"FIF=a.tif&WID=90&ROT={angle}&CVT=jpeg")
        assert psnr(shown, np.rot90(upright, turns)) > 30, angle


def scales_without_aliasing(start: Start) -> None:
    server, pixels = start(), detailed(900, 700)
    server.store("a.tif", pixels)
    for width, height in ((530, 412), (313, 243), (150, 117)):
        shown = server.pixels(f"IIIF=a.tif/full/{width},{height}/0/default.jpg")
        assert psnr(shown, shrink(pixels, width, height)) > 30, width


def keeps_a_region_in_its_place(start: Start) -> None:
    server, pixels = start(), detailed(900, 700)
    server.store("a.tif", pixels, halve(pixels))
    # Half a pixel of the level that is read, and back to full resolution.
    shown = server.pixels("RES=0&IIIF=a.tif/101,51,400,300/200,150/0/default.jpg")
    assert psnr(shown, halve(pixels[51:351, 101:501])) > 30
    enlarged = server.pixels("IIIF=a.tif/300,200,64,64/128,128/0/default.jpg")
    assert psnr(halve(enlarged), pixels[200:264, 300:364]) > 30


def decodes_tiles_straight_into_the_region(start: Start) -> None:
    answers = []
    for mebibytes in ("0", "10"):
        server = start(MAX_IMAGE_CACHE_SIZE=mebibytes, VERBOSITY="3")
        server.store("a.tif", detailed(500, 400))
        answers.append(server.body("IIIF=a.tif/33,44,300,211/300,211/0/default.jpg"))
        assert ("directly from image" in server.log) == (mebibytes == "0")
    assert answers[0] == answers[1]


def keeps_colours_that_rgb_lacks(start: Start) -> None:
    server = start()
    server.store_jpeg("a.tif", flat(200, 200, (128, 240, 100)))
    for path in ("full/200,200/0/default.jpg", "0,0,190,190/90,90/90/default.jpg"):
        shown = server.pixels(f"IIIF=a.tif/{path}", "YCbCr")
        assert np.abs(shown.astype(int) - (128, 240, 100)).max() <= 3, path
    gray = server.pixels("IIIF=a.tif/full/90,90/0/gray.jpg", "L")
    assert np.abs(gray.astype(int) - 128).max() <= 1


def keeps_the_colours_of_small_images(start: Start) -> None:
    server = start(JPEG_FULL_COLOUR_PIXELS="40000")
    server.store("a.tif", detailed(500, 500))
    for side in (40, 199, 200, 201, 400):
        image = server.image(f"IIIF=a.tif/full/{side},{side}/0/default.jpg")
        in_full_colour = JpegImagePlugin.get_sampling(image) == 0
        assert in_full_colour == (side <= 200), side


def cuts_without_another_generation(start: Start) -> None:
    server = start(EMBED_ICC="0")
    server.store_jpeg("a.tif", detailed(500, 500))
    whole = image_of(np.zeros((1, 1, 3), "u1")).new_from_file(str(server.folder / "a.tif"))
    shown = server.pixels("IIIF=a.tif/24,64,331,210/331,210/0/default.jpg")
    assert np.abs(shown.astype(int) - whole.crop(24, 64, 331, 210).numpy()).max() == 0


def ends_what_takes_too_long(start: Start) -> None:
    server = start(REQUEST_CPU_SECONDS="1")
    server.store("a.tif", detailed(900, 700))
    for _ in range(3):
        assert server.image("IIIF=a.tif/full/850,/0/default.jpg").size == (850, 661)
    assert server.is_alive
    assert server.body("IIIF=a.tif/full/14000,9000/90/default.jpg")[-2:] != b"\xff\xd9"
    assert has_ended(server)


def ends_what_nobody_waits_for(start: Start) -> None:
    server = start(REQUEST_CPU_SECONDS="60")
    server.store("a.tif", detailed(900, 700))
    begun = time.monotonic()
    server.body("IIIF=a.tif/full/9000,7000/0/default.jpg")
    whole = time.monotonic() - begun
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.socket))
        client.sendall(fastcgi.request("IIIF=a.tif/full/9000,7000/0/default.jpg"))
        time.sleep(whole / 10)
    assert has_ended(server)


def knows_only_what_is_in_the_file(start: Start) -> None:
    """As after a disk has changed bits of it, and they were written again: its time is the same."""
    server = start()
    path = server.folder / "a.tif"
    for pixels, size in ((flat(400, 300, RED), (80, 60)), (flat(300, 400, BLUE), (80, 107))):
        server.store("a.tif", pixels)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert server.image("IIIF=a.tif/full/80,/0/default.jpg").size == size


def has_ended(server: Server) -> bool:
    deadline = time.monotonic() + SOON
    while server.is_alive and time.monotonic() < deadline:
        time.sleep(0.01)
    return not server.is_alive


PROMISES: dict[str, tuple[Callable[[Start], None], ...]] = {
    "0001-exact-regions": (
        chooses_the_smallest_level_that_suffices,
        reads_the_level_that_it_is_told,
    ),
    "0002-memory-safety": (
        survives_regions_that_a_level_lacks,
        refuses_levels_that_differ,
        turns_by_right_angles_only,
    ),
    "0003-antialiased-interpolation": (scales_without_aliasing, keeps_a_region_in_its_place),
    "0004-regions-in-place": (
        decodes_tiles_straight_into_the_region,
        refuses_regions_whose_bytes_are_not_counted,
    ),
    "0005-keep-ycbcr": (keeps_colours_that_rgb_lacks,),
    "0006-full-colour-thumbnails": (keeps_the_colours_of_small_images,),
    "0010-coefficients": (cuts_without_another_generation,),
    "0011-nothing-outlives-a-request": (knows_only_what_is_in_the_file,),
    "0007-request-limits": (ends_what_takes_too_long, ends_what_nobody_waits_for),
}
BROKEN = pytest.mark.xfail(strict=True, reason="Debian's iipsrv breaks the promise")
PROGRAMS = (pytest.param(OURS, id="ours"), pytest.param(UNPATCHED, id="unpatched", marks=BROKEN))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(promise, id=f"{patch}-{promise.__name__}")
        for patch, promises in PROMISES.items()
        for promise in promises
    ],
)
def test_a_patch_keeps_a_promise_that_was_broken(
    promise: Callable[[Start], None], start: Start
) -> None:
    promise(start)


def test_every_patch_has_a_reason() -> None:
    patches = sorted((REPOSITORY / "containers/iipsrv/patches").iterdir())
    assert PROMISES.keys() <= {patch.stem for patch in patches}
    for patch in patches:
        head = patch.read_text().partition("\ndiff --git")[0]
        for field in ("Description: ", "Origin: ", "Forwarded: ", "Last-Update: "):
            assert f"\n{field}" in f"\n{head}", (patch.name, field)
