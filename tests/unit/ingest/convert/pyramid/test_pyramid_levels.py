"""All levels are the exact box pyramid, whatever the size; tiles share one set of tables."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from hypothesis import given, settings
from hypothesis import strategies as st
from imagecodecs import jpeg8_decode

from tests.unit.ingest.made_pyramids import ENCODER, box_levels, image_of, picture, write_file
from vitrine.ingest.convert.pyramid.level_builder import Level
from vitrine.ingest.convert.pyramid.pyramid_builder import build_pyramid, level_sizes
from vitrine.ingest.convert.pyramid.shrink import BoxFilter
from vitrine.ingest.convert.pyramid.tile_encoder import SUBSAMPLINGS, TileEncoder

SIZES = [(1, 1), (1, 700), (700, 1), (256, 256), (257, 255), (512, 513), (999, 301), (2500, 40)]


class RawTiles:
    """An encoder that loses nothing, to see the pixels that reach the real one."""

    tile_size = 32

    def encode(self, pixels: Any) -> bytes:
        return bytes(pixels.tobytes())


def raw_levels(pixels: Any, rows_at_once: int, *, wide: bool) -> list[Any]:
    """The levels as the tiles hold them, cut to their sizes."""
    side = RawTiles.tile_size
    height, width = pixels.shape[:2]
    sizes = level_sizes(width, height, side)
    tiles: list[list[bytes]] = [[] for _ in sizes]
    box = BoxFilter(side)
    with ThreadPoolExecutor(2) as pool:
        level = None
        for (w, h), sink in zip(reversed(sizes), reversed(tiles), strict=True):
            level = Level(
                w,
                h,
                encoder=RawTiles(),
                box=box,
                pool=pool,
                sink=sink.append,
                below=level,
                ahead=not wide,
            )
        assert level is not None
        for top in range(0, height, rows_at_once):
            level.add(pixels[top : top + rows_at_once])
        level.close()
    found = []
    for (w, h), stored in zip(sizes, tiles, strict=True):
        columns = -(-w // side)
        grid = np.frombuffer(b"".join(stored), "u1").reshape(-1, columns, side, side, 3)
        found.append(grid.swapaxes(1, 2).reshape(-1, columns * side, 3)[:h, :w])
    return found


@settings(max_examples=40, deadline=None)
@given(
    width=st.integers(1, 150),
    height=st.integers(1, 150),
    rows_at_once=st.integers(1, 80),
    wide=st.booleans(),
)
def test_every_level_is_the_exact_box_pyramid(
    width: int, height: int, rows_at_once: int, wide: bool
) -> None:
    pixels = np.random.default_rng(width * 1000 + height).integers(0, 256, (height, width, 3))
    found = raw_levels(pixels.astype("u1"), rows_at_once, wide=wide)
    for level, expected in zip(found, box_levels(pixels, RawTiles.tile_size), strict=True):
        np.testing.assert_array_equal(level, expected)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_level_decodes_to_its_picture(tmp_path: Path, width: int, height: int) -> None:
    pixels = picture(width, height)
    write_file(pixels, tmp_path / "a.tif")
    for number, expected in enumerate(box_levels(pixels)):
        found = pyvips.Image.tiffload(str(tmp_path / "a.tif"), page=number, fail_on="warning")
        difference = np.abs(found.numpy().astype(int) - expected)
        assert difference.mean() < 3
        assert difference.max() < 24


def test_edges_do_not_ring() -> None:
    """A white picture that ends inside a coding unit stays white to its last pixel."""
    pixels = np.full((300, 300, 3), 255, "u1")
    tiles: list[bytes] = []
    sinks = [tiles.append, lambda tile: None]
    build_pyramid(image_of(pixels), ENCODER, sinks=sinks, threads=1)
    corner = jpeg8_decode(tiles[3], tables=ENCODER.tables)
    assert corner[:44, :44].min() == 255


def test_beyond_the_picture_tiles_are_flat() -> None:
    tiles: list[bytes] = []
    build_pyramid(image_of(picture(40, 40)), ENCODER, sinks=[tiles.append], threads=1)
    corner = jpeg8_decode(tiles[0], tables=ENCODER.tables)
    assert np.abs(corner[64:, 64:].astype(int) - 128).max() <= 1


@pytest.mark.slow
def test_the_number_of_threads_changes_no_byte(tmp_path: Path) -> None:
    files = []
    for threads in (1, 2, 5):
        path = tmp_path / f"{threads}.tif"
        write_file(picture(1900, 1300), path, threads=threads)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("subsampling", sorted(SUBSAMPLINGS))
def test_tiles_share_their_tables(subsampling: str) -> None:
    encoder = TileEncoder(256, 90, subsampling)
    for pixels in (picture(256, 256), np.zeros((256, 256, 3), "u1")):
        tile = encoder.encode(pixels)
        assert b"\xff\xdb" not in tile[:40], "no tables in the tile"
        decoded = jpeg8_decode(tile, tables=encoder.tables).astype(int)
        assert np.abs(decoded - pixels).mean() < 3


def test_sizes_round_up_until_one_tile_is_enough() -> None:
    assert level_sizes(1025, 257, 256) == [(1025, 257), (513, 129), (257, 65), (129, 33)]
    assert level_sizes(256, 1, 256) == [(256, 1)]


def broken(tmp_path: Path) -> Any:
    path = tmp_path / "m.jpg"
    image_of(picture(900, 900)).jpegsave(str(path))
    path.write_bytes(path.read_bytes()[:-9_000])
    return pyvips.Image.new_from_file(str(path), access="sequential", fail_on="error")


def test_a_damaged_master_is_distinguished_from_a_failing_sink(tmp_path: Path) -> None:
    nowhere: list[Callable[[bytes], None]] = [lambda tile: None] * 3
    with pytest.raises(pyvips.Error):
        build_pyramid(broken(tmp_path), ENCODER, sinks=nowhere, threads=2)

    def full(tile: bytes) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build_pyramid(image_of(picture(900, 900)), ENCODER, sinks=[full, *nowhere[1:]], threads=2)


def test_a_watcher_sees_every_row_once() -> None:
    pixels = picture(500, 700)
    seen: list[Any] = []
    build_pyramid(
        image_of(pixels),
        ENCODER,
        sinks=[lambda tile: None] * 3,
        threads=2,
        watch=lambda rows: seen.append(rows.copy()),
    )
    np.testing.assert_array_equal(np.concatenate(seen), pixels)


def test_the_loudest_noise_at_the_highest_quality_fits_the_codec_buffer() -> None:
    noise = np.random.default_rng(1).integers(0, 2, (256, 256, 3), dtype=np.uint8) * 255
    encoder = TileEncoder(256, 100, "444")
    decoded = jpeg8_decode(encoder.encode(noise), tables=encoder.tables, outcolorspace="RGB")
    assert np.abs(decoded.astype(int) - noise).mean() < 3
