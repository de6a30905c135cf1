"""Strips cut from coefficients and joined by bytes are the one JPEG that iipsrv would cut."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import pyvips
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.integration.deliver.render.bare_iipsrv import OURS, TILE, Server, bare_iipsrv
from tests.integration.deliver.render.jpeg_coefficients import read_coefficients
from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.download.joining import END, Joining, NotJoinable, Strip, read_strip

SHAPES = ("444", "422", "420", "gray")
MIN_STRIP_HEIGHT = 128
"""Height of a strip: eight rows of blocks, where chroma is halved, and whole tiles."""
SIZES = ((301, 700), (64, 513), (1000, 257), (17, 129))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with bare_iipsrv(OURS, EMBED_ICC="0") as server:
        yield server


@pytest.fixture(scope="module")
def stored(server: Server) -> dict[str, list[bytes]]:
    """The tiles of an image of each sampling and size, by its name."""
    made = {}
    for shape in SHAPES:
        for width, height in SIZES:
            pixels = picture(width, height)
            source, sampling = (pixels[..., 1], "444") if shape == "gray" else (pixels, shape)
            name = f"{shape}-{width}"
            made[name] = server.store_jpeg(f"{name}.tif", source, sampling)
    return made


def cut(server: Server, name: str, top: int, width: int, height: int) -> bytes:
    return server.body(f"IIIF={name}.tif/0,{top},{width},{height}/{width},{height}/0/default.jpg")


def join(strips: list[Strip], height: int) -> bytes:
    joining = Joining(strips[0])
    first = strips[0].head_of(height) + bytes(strips[0].coded)
    return first + b"".join(joining.follow(strip) for strip in strips[1:]) + END


def decoded(jpeg: bytes) -> list[Any]:
    """As Pillow and libvips see it."""
    by_libvips = pyvips.Image.new_from_buffer(jpeg, "", fail_on="warning").numpy()
    return [np.asarray(Image.open(io.BytesIO(jpeg))), np.squeeze(by_libvips)]


@pytest.mark.parametrize("shape", SHAPES)
def test_joined_strips_have_the_coefficients_of_the_stored_tiles(
    server: Server, stored: dict[str, list[bytes]], shape: str
) -> None:
    @settings(max_examples=15, deadline=None, database=None)
    @given(st.sampled_from(SIZES), st.integers(1, 4))
    def check(size: tuple[int, int], units: int) -> None:
        (width, height), name, step = size, f"{shape}-{size[0]}", units * MIN_STRIP_HEIGHT
        strips = [
            read_strip(cut(server, name, top, width, part), width, part)
            for top in range(0, height, step)
            for part in [min(step, height - top)]
        ]
        assert {strip.head for strip in strips} == {strips[0].head}
        joined = join(strips, height)
        assert joined == cut(server, name, 0, width, height)
        columns = -(-width // TILE)
        tiles = [read_coefficients(tile) for tile in stored[name]]
        for channel, found in enumerate(read_coefficients(joined)):
            down, across = tiles[0][channel].shape[:2]
            # Blocks that the image touches: the last unit may have others, of no meaning.
            rows, touched = -(-height * down // TILE), -(-width * across // TILE)
            for number, tile in enumerate(tiles):
                top, left = number // columns * down, number % columns * across
                part = found[top : min(top + down, rows), left : min(left + across, touched)]
                assert np.array_equal(part, tile[channel][: len(part), : part.shape[1]])
        one, other = decoded(joined)
        assert one.shape[:2] == (height, width)
        assert np.array_equal(one, other)

    check()


@pytest.mark.usefixtures("stored")
def test_what_iipsrv_makes_of_pixels_is_no_strip(server: Server) -> None:
    for region, (width, height) in (("0,0,301,128", (150, 64)), ("1,0,300,128", (300, 128))):
        jpeg = server.body(f"IIIF=444-301.tif/{region}/{width},{height}/0/default.jpg")
        with pytest.raises(NotJoinable, match="not cut from coefficients"):
            read_strip(jpeg, width, height)
