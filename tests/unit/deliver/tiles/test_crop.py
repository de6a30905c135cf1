"""Edge tiles are cut without decoding: every pixel is as it was."""

import io
import random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.unit.deliver.pyramids.open_rig import WRITERS, levels_of, made, stored_tile
from tests.unit.deliver.tiles.tile_comparison import SEGMENTS
from tests.unit.deliver.tiles.tile_decoders import by_libvips, by_pillow, markers
from tests.unit.ingest.made_pyramids import picture
from vitrine.deliver.pyramids.level import read_level
from vitrine.deliver.tiles.assembly import TileAssembly
from vitrine.deliver.tiles.crop import crop

SHAPES = [(256, 1), (1, 256), (1, 1), (8, 8), (17, 33), (255, 255), (188, 256), (256, 11)]


def jpeg_of(writer: str) -> bytes:
    data = made(writer)
    level = read_level(levels_of(data)[0], len(data))
    jpeg = TileAssembly(level, SEGMENTS).assemble(stored_tile(data, 0, 0, 0))
    assert jpeg
    return jpeg


def encoded(subsampling: str, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture(256, 256)).save(
        file, "JPEG", quality=90, subsampling=subsampling, **options
    )
    return file.getvalue()


def differing(cropped: bytes, whole: bytes, width: int, height: int) -> Any:
    """Where the pixels are others: (rows, columns)."""
    pixels = by_pillow(cropped)
    assert pixels.shape[:2] == (height, width)
    return (pixels != by_pillow(whole)[:height, :width]).any(axis=2)


@pytest.mark.slow
@pytest.mark.parametrize("writer", [name for name in WRITERS if "420" not in name])
def test_every_pixel_is_as_it_was(writer: str) -> None:
    jpeg = jpeg_of(writer)
    rng = random.Random(writer)
    shapes = SHAPES + [(rng.randint(1, 256), rng.randint(1, 256)) for _ in range(20)]
    for width, height in shapes:
        cropped = crop(jpeg, width, height)
        assert cropped
        assert not differing(cropped, jpeg, width, height).any()
        assert np.array_equal(by_libvips(cropped), by_pillow(cropped))


@pytest.mark.parametrize("subsampling", ["4:2:2", "4:2:0"])
@pytest.mark.parametrize("options", [{}, {"restart_marker_rows": 1}, {"progressive": True}])
def test_subsampled_chroma_differs_at_the_new_edge_at_most(
    subsampling: str, options: dict[str, Any]
) -> None:
    """There decoders interpolate between samples, and the ones beyond the edge are gone."""
    jpeg = encoded(subsampling, **options)
    for width, height in SHAPES:
        cropped = crop(jpeg, width, height)
        assert cropped
        wrong = differing(cropped, jpeg, width, height)
        assert not wrong[: height - 1, : width - 1].any()
        if subsampling == "4:2:2":
            assert not wrong[:, : width - 1].any()
        assert by_libvips(cropped).shape[:2] == (height, width)


def test_metadata_stays_in_front() -> None:
    jpeg = jpeg_of("ours")
    cropped = crop(jpeg, 100, 100)
    assert cropped
    assert markers(cropped)[:4] == markers(jpeg)[:4]
    assert SEGMENTS in cropped


def test_a_tile_that_cannot_be_cut_raises() -> None:
    jpeg = jpeg_of("ours")
    assert crop(jpeg, 257, 10) is None
    assert crop(jpeg, 10, 0) is None
    assert crop(jpeg[: len(jpeg) // 2], 256, 200) is None
    assert crop(jpeg[: len(jpeg) // 2], 200, 256) is None
    assert crop(b"\xff\xd8 no JPEG", 10, 10) is None
    assert crop(b"", 10, 10) is None
