"""iipsrv renders from nothing but what was pinned for it, and its deaths cost nobody anything."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.integration.deliver.render.iipsrv_rig import IipsrvRig, iipsrv_rig
from tests.patience import until_in_loop
from tests.unit.deliver.pyramids.open_rig import TILED, in_loop
from tests.unit.deliver.render.render_rig import (
    PoisonedFile,
    WholeFile,
    pixels,
    pool,
    pyramid_of,
    resolve_path,
)
from tests.unit.ingest.made_pyramids import image_of, picture, write_file
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.iipsrv import Iipsrv, locate_reading, supports_task
from vitrine.deliver.render.task import plan_task
from vitrine.errors import Unavailable
from vitrine.iiif.region import Box

SIZES = {
    "ours": (2303, 1411),
    "libvips": (2303, 1411),
    "libvips-tall": (257, 3001),
    "libvips-flat": (1028, 19),
}
QUALITIES = ("default", "default", "gray", "color")
ROTATIONS = ("0", "0", "90", "180", "270", "!0", "!90")
REQUESTS = 120


@pytest.fixture(scope="module")
def rig() -> Iterator[IipsrvRig]:
    with iipsrv_rig() as started:
        yield started


@cache
def stored(writer: str) -> bytes:
    """Levels rounded up (ours), or down."""
    shown = picture(*SIZES[writer])
    if writer != "ours":
        return bytes(image_of(shown).tiffsave_buffer(compression="jpeg", Q=85, **TILED))
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"render-{os.getpid()}.tif"
    write_file(shown, path)
    data = path.read_bytes()
    path.unlink()
    return data


def some_requests(width: int, height: int, number: int, seed: int) -> list[str]:
    """Regions and sizes of all scales; sizes that are a level's, a pixel more, a pixel less."""
    generator, paths = random.Random(seed), []
    for _ in range(number):
        if generator.random() < 0.3:
            x, y, w, h = 0, 0, width, height
        else:
            x, y = generator.randrange(width), generator.randrange(height)
            w, h = 1 + generator.randrange(width - x), 1 + generator.randrange(height - y)
        scale = 2 ** generator.choice((0, 1, 2, 3, 0.3, 1.7, 2.5, 3.9))
        near = generator.choice((-1, 0, 0, 1))
        across = min(max(int(w / scale) + near, 1), w)
        down = min(max(int(h / scale) + generator.choice((near, 0)), 1), h)
        quality, turn = generator.choice(QUALITIES), generator.choice(ROTATIONS)
        paths.append(f"{x},{y},{w},{h}/{across},{down}/{turn}/{quality}.jpg")
    return paths


def tiles_of(box: Box) -> set[tuple[int, int]]:
    """Columns and rows of the tiles that a box touches."""
    side = TILED["tile_width"]
    return {
        (column, row)
        for column in range(box.x // side, (box.x + box.width - 1) // side + 1)
        for row in range(box.y // side, (box.y + box.height - 1) // side + 1)
    }


async def ask(renderer: Iipsrv, pyramid: OpenPyramid, path: str) -> bytes:
    renders = pool()
    try:
        return await renderer.render(
            pyramid, plan_task(pyramid.levels, resolve_path(path, pyramid)), renders
        )
    finally:
        renders.close()


@pytest.mark.parametrize("writer", SIZES)
@in_loop
async def test_garbage_in_all_that_was_not_pinned_changes_no_answer(
    writer: str, rig: IipsrvRig
) -> None:
    whole = pyramid_of(WholeFile(stored(writer), rig.cache / f"{writer}-whole.tif"))
    # iipsrv remembers tiles by file: each request has one of its own.
    for number, path in enumerate(some_requests(*SIZES[writer], REQUESTS, seed=1)):
        if not supports_task(whole, plan_task(whole.levels, resolve_path(path, whole))):
            continue
        poisoned = PoisonedFile(stored(writer), rig.cache / f"{writer}-{number}.tif")
        answer = await ask(rig.renderer, pyramid_of(poisoned), path)
        assert answer == await ask(rig.renderer, whole, path), path
        poisoned.path.unlink()


@pytest.mark.parametrize("writer", SIZES)
def test_it_reads_what_we_say(writer: str) -> None:
    with iipsrv_rig(1, verbose=True) as noisy:
        pyramid = pyramid_of(WholeFile(stored(writer), noisy.cache / "whole.tif"))
        paths = some_requests(*SIZES[writer], 3 * REQUESTS, seed=2)

        async def ask_all() -> None:
            for path in paths:
                await ask(noisy.renderer, pyramid, path)

        asyncio.run(ask_all())
        readings = noisy.readings
    last = len(pyramid.levels) - 1
    assert len(readings) == len(paths)
    for path, (resolution, box) in zip(paths, readings, strict=True):
        task = plan_task(pyramid.levels, resolve_path(path, pyramid))
        said = locate_reading(task.request, task.plan.level, task.level)
        assert last - resolution == task.plan.level, path
        assert tiles_of(box) <= tiles_of(said), path


@in_loop
async def test_a_process_that_dies_is_replaced_and_nobody_notices(rig: IipsrvRig) -> None:
    pyramid = pyramid_of(WholeFile(stored("libvips"), rig.cache / "dying.tif"))
    before = len(rig.children)

    async def all_gone(killed: set[int]) -> None:
        await until_in_loop(lambda: killed.isdisjoint(rig.children))

    for number in (1, 1, before):
        killed = {*rig.children[:number]}
        for pid in killed:
            os.kill(pid, signal.SIGSEGV)
        if number > 1:
            # On a busy machine each may still accept the request, which has then killed twice.
            await all_gone(killed)
        assert (await ask(rig.renderer, pyramid, "full/300,/0/default.jpg")).startswith(b"\xff\xd8")
        await all_gone(killed)
    await until_in_loop(lambda: len(rig.children) == before)


@in_loop
async def test_it_is_ready_when_it_answers(rig: IipsrvRig) -> None:
    await rig.renderer.check()
    with pytest.raises(Unavailable, match="no answer"):
        await Iipsrv(rig.work / "run/nobody.sock", rig.cache, 1).check()


@in_loop
async def test_what_is_no_image_is_unavailable(rig: IipsrvRig) -> None:
    file = WholeFile(stored("libvips"), rig.cache / "broken.tif")
    pyramid = pyramid_of(file)
    file.path.write_bytes(b"no image")
    with pytest.raises(Unavailable, match="cannot be rendered"):
        await ask(rig.renderer, pyramid, "full/300,/0/default.jpg")


@in_loop
async def test_clients_that_go_away_leave_the_pool_to_others(rig: IipsrvRig) -> None:
    pyramid = pyramid_of(WholeFile(stored("ours"), rig.cache / "left.tif"))
    renderer, renders = rig.renderer, pool()
    task = plan_task(pyramid.levels, resolve_path("full/max/0/default.jpg", pyramid))
    leaving = [asyncio.create_task(renderer.render(pyramid, task, renders)) for _ in range(20)]
    await asyncio.sleep(0.05)
    for render in leaving:
        render.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    body = await renderer.render(pyramid, task, renders)
    assert pixels(body).shape == (1411, 2303, 3)
    assert renders.is_idle
    renders.close()


def test_it_is_not_asked_for_what_it_cannot_do(tmp_path: Path) -> None:
    def taken(path: str, data: bytes) -> bool:
        pyramid = pyramid_of(WholeFile(data, tmp_path / "a.tif"))
        return supports_task(pyramid, plan_task(pyramid.levels, resolve_path(path, pyramid)))

    assert taken("full/300,/!90/gray.jpg", stored("ours"))
    assert taken("0,0,9,9/^300,/0/default.jpg", stored("ours"))
    assert not taken("full/300,/0/default.png", stored("ours"))
    assert not taken("full/300,/0/bitonal.jpg", stored("ours"))
    in_one_page = image_of(picture(700, 523)).tiffsave_buffer(
        compression="jpeg", subifd=True, **TILED
    )
    assert not taken("full/300,/0/default.jpg", bytes(in_one_page))
