"""AVIF and JPEG XL: what they are made of, with which metadata, and what they cost."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from tests.unit.deliver.deliver_records import live
from tests.unit.deliver.pyramids.open_rig import in_loop, made, open_rig
from tests.unit.deliver.render.render_rig import pixels, psnr, resolve_path
from tests.unit.deliver.render.restored_jpeg import restore_jpeg
from vitrine.deliver.answer.cost import Lane, price_derivative
from vitrine.deliver.answer.derivative_cache import is_cacheable
from vitrine.deliver.answer.embedding import Embedding
from vitrine.deliver.answer.images import Images
from vitrine.deliver.embed.srgb import SRGB
from vitrine.deliver.embed.tiles import tile_segments_reader
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.deliver.render.rendering import Rendering, RenderingSize
from vitrine.deliver.tiles.pass_through import PassThrough
from vitrine.deliver.tiles.position import TilePosition
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3

SIZE = RenderingSize(
    cores=2, waiting=20, large_renders=1, large_waiting=1, large_memory_bytes=100 << 20
)
LIMITS = Limits(area=25_000_000)


class ForeignTiles(PassThrough):
    """Tiles of a kind that JPEG XL does not have."""

    async def tile(self, pyramid: OpenPyramid, position: TilePosition) -> bytes:
        """Return a JPEG of four channels."""
        file = io.BytesIO()
        Image.new("CMYK", (256, 256)).save(file, "JPEG")
        return file.getvalue()


def stored_tiles() -> PassThrough:
    return PassThrough(tile_segments_reader("rights"))


class Rig:
    """Images over a pyramid of ours in memory; nobody answers for iipsrv."""

    def __init__(self, images: Images, pyramid: OpenPyramid, counters: Counters) -> None:
        self.images, self.pyramid, self.counters = images, pyramid, counters

    def resolve(self, path: str) -> ResolvedRequest:
        return resolve_path(path, self.pyramid)

    async def make(self, path: str) -> bytes:
        return await self.images.derivative(self.pyramid.image, self.resolve(path))

    def renders(self, renderer: str) -> float:
        samples = self.counters.samples().items()
        return sum(n for key, n in samples if "renders_total" in key and f'"{renderer}"' in key)


@asynccontextmanager
async def started(tmp_path: Path, tiles: PassThrough, writer: str = "ours") -> AsyncIterator[Rig]:
    counters = Counters()
    rendering = Rendering(Iipsrv(tmp_path / "nobody.sock", tmp_path, 1), SIZE, counters)
    async with open_rig(tmp_path) as rig:
        images = Images(
            pyramids=rig.pyramids, tiles=tiles, rendering=rendering, embedding=Embedding()
        )
        yield Rig(images, await rig.open(made(writer)), counters)
    await rendering.close()


@pytest.mark.parametrize(
    ("address", "position"),
    [
        ("0,0,256,256/max", TilePosition(0, 0, 0)),
        ("512,512,188,11/max", TilePosition(0, 2, 2)),
        ("0,0,512,512/256,256", TilePosition(1, 0, 0)),
    ],
    ids=["whole", "edge", "level"],
)
@in_loop
async def test_a_stored_tile_as_jpeg_xl_is_the_tile_bit_for_bit(
    address: str, position: TilePosition, tmp_path: Path
) -> None:
    async with started(tmp_path, stored_tiles()) as rig:
        packed = await rig.make(f"{address}/0/default.jxl")
        tile = await stored_tiles().tile(rig.pyramid, position)
        assert rig.renders("libjxl") == 1
        assert rig.renders("libvips") == rig.renders("thumbnail") == 0
    assert restore_jpeg(packed) == tile


@pytest.mark.parametrize("writer", ["libvips-rgb", "libvips-gray", "tifffile-big-endian"])
@in_loop
async def test_a_tile_of_another_program_keeps_its_coefficients(
    writer: str, tmp_path: Path
) -> None:
    async with started(tmp_path, stored_tiles(), writer) as rig:
        packed = await rig.make("0,0,256,256/max/0/default.jxl")
        tile = await stored_tiles().tile(rig.pyramid, TilePosition(0, 0, 0))
        assert rig.renders("libvips") == rig.renders("iipsrv") == 0
    restored = restore_jpeg(packed)
    assert tile
    assert (pixels(restored) == pixels(tile)).all()
    assert SRGB in restored or writer == "libvips-gray"


@in_loop
async def test_any_other_jpeg_xl_is_the_jpeg_bit_for_bit(tmp_path: Path) -> None:
    async with started(tmp_path, stored_tiles()) as rig:
        for address in ("full/!99,99/0/default", "full/!300,300/0/bitonal"):
            packed, jpeg = await rig.make(f"{address}.jxl"), await rig.make(f"{address}.jpg")
            assert restore_jpeg(packed) == jpeg


@in_loop
async def test_a_tile_that_jpeg_xl_cannot_hold_is_rendered_first(tmp_path: Path) -> None:
    async with started(tmp_path, ForeignTiles(tile_segments_reader("none"))) as rig:
        # iipsrv is not there: its render fails, and libvips is only asked for damaged tiles.
        packed = await rig.make("512,512,188,11/max/0/default.jxl")
        expected = pixels(await rig.make("512,512,188,11/max/0/default.png"))
    assert psnr(imagecodecs.jpegxl_decode(packed), expected) > 35


@in_loop
async def test_an_avif_is_the_picture_with_its_profile(tmp_path: Path) -> None:
    async with started(tmp_path, stored_tiles()) as rig:
        for address in ("full/!300,300/0/default", "0,0,256,256/max/!90/gray"):
            made_avif, png = await rig.make(f"{address}.avif"), await rig.make(f"{address}.png")
            with Image.open(io.BytesIO(made_avif)) as image:
                assert image.format == "AVIF"
                assert "gray" in address or image.info["icc_profile"] == SRGB
                shown = np.asarray(image.convert("RGB"))
            expected = pixels(png)
            assert psnr(shown, expected if expected.ndim == 3 else expected[..., None]) > 32


@pytest.mark.parametrize("format_", ["avif", "jxl"])
def test_new_formats_are_priced_above_the_jpeg_and_kept(format_: str) -> None:
    image = live("big", 20_000, 15_000)

    def resolved(size: str, name: str) -> ResolvedRequest:
        parsed = parse_image_request(("full", size, "0", f"default.{name}"), V3)
        return resolve(parsed, image.width, image.height, LIMITS, image)

    for size, lane in (("!400,400", Lane.CHEAP), ("!3000,3000", Lane.LARGE)):
        jpeg = price_derivative(image, resolved(size, "jpg"), 0)
        cost = price_derivative(image, resolved(size, format_), 0)
        assert cost.work > 1.3 * jpeg.work
        assert cost.lane is lane
    assert is_cacheable(resolved("!400,400", format_))
