"""Who renders what, and what happens when that one fails."""

import asyncio
from pathlib import Path

import pytest

from tests.unit.deliver.pyramids.open_rig import HEIGHT, WIDTH, in_loop, made
from tests.unit.deliver.render.render_rig import (
    PoisonedFile,
    WholeFile,
    pixels,
    psnr,
    pyramid_of,
    resolve_path,
)
from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.choice import Choice, choose_renderer
from vitrine.deliver.render.encode import FULL_COLOUR_PIXELS
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.deliver.render.rendering import Rendering, RenderingSize
from vitrine.deliver.render.task import plan_task
from vitrine.errors import Unavailable

REPOSITORY = Path(__file__).resolve().parents[4]
SIZE = RenderingSize(
    cores=2, waiting=20, large_renders=1, large_waiting=1, large_memory_bytes=100 << 20
)


def rendering(work: Path) -> Rendering:
    """Nobody answers for iipsrv."""
    return Rendering(Iipsrv(work / "nobody.sock", work, 1), SIZE)


@pytest.fixture
def pyramid(tmp_path: Path) -> OpenPyramid:
    return pyramid_of(WholeFile(made("ours"), tmp_path / "a.tif"))


@pytest.mark.parametrize(
    ("path", "choice"),
    [
        ("full/!128,128/0/default.jpg", ("thumbnail", "medium")),
        ("full/!500,500/0/default.jpg", ("iipsrv", "medium")),
        ("full/!128,128/90/default.jpg", ("iipsrv", "medium")),
        ("full/!128,128/0/gray.jpg", ("iipsrv", "medium")),
        ("full/^2000,/0/default.jpg", ("iipsrv", "large")),
        ("0,0,350,20/300,18/0/default.jpg", ("thumbnail", "medium")),
        ("full/700,60/0/default.jpg", ("iipsrv", "medium")),
        ("full/!500,500/0/bitonal.jpg", ("libvips", "medium")),
        ("full/!128,128/0/default.png", ("libvips", "medium")),
        ("full/max/0/default.gif", ("libvips", "huge")),
    ],
)
def test_the_table_says_who_renders(
    pyramid: OpenPyramid, path: str, choice: tuple[str, str]
) -> None:
    task = plan_task(pyramid.levels, resolve_path(path, pyramid))
    assert choose_renderer(pyramid, task) == Choice(*choice)  # type: ignore[arg-type]


def test_iipsrv_is_asked_for_no_file_that_only_the_gateway_sees(tmp_path: Path) -> None:
    file = WholeFile(made("ours"), tmp_path / "a.tif")
    file.is_in_memory = True
    pyramid = pyramid_of(file)
    task = plan_task(pyramid.levels, resolve_path("full/!500,500/0/default.jpg", pyramid))
    assert choose_renderer(pyramid, task) == Choice("libvips", "medium")


def test_iipsrv_keeps_the_colours_of_the_same_thumbnails_as_we() -> None:
    script = (REPOSITORY / "containers/iipsrv/start").read_text()
    assert f"JPEG_FULL_COLOUR_PIXELS={FULL_COLOUR_PIXELS}\n" in script


@in_loop
async def test_many_at_once_of_all_kinds_are_all_right(tmp_path: Path) -> None:
    rendered = rendering(tmp_path)
    shown = picture(WIDTH, HEIGHT)
    pyramids = [
        pyramid_of(PoisonedFile(made("ours"), tmp_path / f"{number}.tif")) for number in range(12)
    ]
    paths = [
        "full/!90,90/0/default.jpg",
        "0,0,190,190/max/0/default.jpg",
        "0,0,190,190/max/0/default.png",
    ]

    async def ask(number: int) -> None:
        pyramid = pyramids[number]
        path = paths[number % 3]
        body = await rendered.render(pyramid.image, pyramid, resolve_path(path, pyramid))
        if number % 3:
            assert psnr(pixels(body), shown[:190, :190]) > 30

    await asyncio.gather(*(ask(number) for number in range(12)))
    await rendered.close()


@pytest.mark.parametrize("path", ["full/!90,90/0/default.jpg", "0,0,300,300/200,/0/default.png"])
@in_loop
async def test_a_tile_that_cannot_be_decoded_is_fetched_again(path: str, tmp_path: Path) -> None:
    class Mending(WholeFile):
        def forget(self, offset: int, length: int) -> None:
            super().forget(offset, length)
            self.path.write_bytes(self.data)

        def peek(self, offset: int, length: int) -> bytes | None:
            return self.path.read_bytes()[offset : offset + length]

    file = Mending(made("ours"), tmp_path / "a.tif")
    pyramid = pyramid_of(file)
    task = plan_task(pyramid.levels, resolve_path(path, pyramid))
    offset, length = task.level.tile_range(0, 0)
    damaged = bytearray(file.data)
    damaged[offset + 40 : offset + length - 2] = bytes(length - 42)
    file.path.write_bytes(damaged)
    rendered = rendering(tmp_path)
    body = await rendered.render(pyramid.image, pyramid, task.request)
    assert pixels(body).shape == (task.plan.height, task.plan.width, 3)
    assert file.forgotten == [(offset, length)]
    await rendered.close()


@in_loop
async def test_large_renders_beyond_the_queue_are_refused_and_thumbnails_are_not(
    pyramid: OpenPyramid, tmp_path: Path
) -> None:
    rendered = rendering(tmp_path)

    async def ask(path: str) -> str:
        try:
            await rendered.render(pyramid.image, pyramid, resolve_path(path, pyramid))
        except Unavailable as error:
            return str(error)
        return "done"

    large = [asyncio.create_task(ask("full/^1400,/0/default.png")) for _ in range(5)]
    await asyncio.sleep(0)
    assert await ask("full/!128,128/0/default.jpg") == "done"
    answers = await asyncio.gather(*large)
    assert answers.count("done") == 2
    assert answers.count("busy with large renders: try again") == 3
    await rendered.close()


@in_loop
async def test_it_is_not_ready_without_iipsrv(tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        await rendering(tmp_path).check()


@in_loop
async def test_a_silent_iipsrv_fills_its_own_pool_and_the_other_renderers_go_on(
    pyramid: OpenPyramid, tmp_path: Path
) -> None:
    """It accepts every connection and never answers."""
    connected = 0

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        connected += 1
        await reader.read()  # until the client leaves
        writer.close()

    server = await asyncio.start_unix_server(accept, tmp_path / "silent.sock")
    # So many connections that the pool is what limits iipsrv's renders.
    iipsrv = Iipsrv(tmp_path / "silent.sock", tmp_path, processes=10 * SIZE.cores)
    rendered = Rendering(iipsrv, SIZE)

    async def render(path: str) -> bytes:
        return await rendered.render(pyramid.image, pyramid, resolve_path(path, pyramid))

    hanging = [
        asyncio.create_task(render("full/!90,90/0/gray.jpg"))
        for _ in range(SIZE.cores + SIZE.waiting)
    ]
    async with asyncio.timeout(10):
        while connected < SIZE.cores:
            await asyncio.sleep(0.01)
        with pytest.raises(Unavailable, match="busy with medium renders"):
            await render("full/!90,90/0/gray.jpg")
        for format_name in ("png", "webp"):
            assert pixels(await render(f"full/!90,90/0/default.{format_name}")).shape[1] == 90
    assert connected == SIZE.cores
    assert not any(task.done() for task in hanging)
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    server.close()
    await rendered.close()
