"""A stored tile becomes a JPEG that every decoder reads as the level's pixels."""

import struct
from dataclasses import replace

import numpy as np
import pytest

from tests.unit.deliver.pyramids.open_rig import WRITERS, level_pixels, levels_of, made, stored_tile
from tests.unit.deliver.tiles.tile_comparison import SEGMENTS, close
from tests.unit.deliver.tiles.tile_decoders import by_libvips, by_pillow, markers
from vitrine.deliver.pyramids.level import YCBCR, StoredLevel, read_level
from vitrine.deliver.tiles.assembly import ADOBE_RGB, JFIF, TileAssembly
from vitrine.deliver.tiles.stream import read_header

SOI, APP0, APP1, APP2, APP14, DQT, DHT, SOF, SOS, EOI = (
    *(0xD8, 0xE0, 0xE1, 0xE2, 0xEE),
    *(0xDB, 0xC4, 0xC0, 0xDA, 0xD9),
)


def level_of(writer: str, number: int = 0) -> StoredLevel:
    data = made(writer)
    return read_level(levels_of(data)[number], len(data))


def assembled(writer: str, number: int, column: int, row: int) -> bytes:
    jpeg = TileAssembly(level_of(writer, number), SEGMENTS).assemble(
        stored_tile(made(writer), number, column, row)
    )
    assert jpeg
    return jpeg


@pytest.mark.parametrize("writer", WRITERS)
def test_decoders_see_the_pixels_of_the_level(writer: str) -> None:
    for number, column, row in ((0, 0, 0), (0, 1, 1), (1, 0, 0)):
        jpeg = assembled(writer, number, column, row)
        y, x = row * 256, column * 256
        expected = level_pixels(made(writer), number)[y : y + 256, x : x + 256]
        expected = expected.reshape(*expected.shape[:2], -1)
        for decode in (by_pillow, by_libvips):
            assert close(decode(jpeg)[: len(expected)], expected)


@pytest.mark.parametrize(
    ("writer", "expected"),
    [
        ("ours", [SOI, APP0, APP1, APP2, DQT, DQT, DHT, DHT, DHT, DHT, SOF, SOS, EOI]),
        ("libvips-ycbcr-420", [SOI, APP0, APP1, APP2, DQT, DQT, DHT, DHT, DHT, DHT, SOF, SOS, EOI]),
        ("libvips-gray", [SOI, APP0, APP1, DQT, DHT, DHT, SOF, SOS, EOI]),
    ],
)
def test_metadata_stands_between_the_first_segment_and_the_tables(
    writer: str, expected: list[int]
) -> None:
    """And a gray tile carries no profile of RGB."""
    found = markers(assembled(writer, 0, 0, 0))
    assert [marker for marker in found if marker not in (DQT, DHT)] == [
        marker for marker in expected if marker not in (DQT, DHT)
    ]
    assert found.index(DQT) == expected.index(DQT)


@pytest.mark.parametrize("writer", [name for name in WRITERS if "rgb" in name])
def test_rgb_says_so_once_and_never_that_it_is_ycbcr(writer: str) -> None:
    jpeg = assembled(writer, 0, 0, 0)
    assert markers(jpeg).count(APP14) == 1
    assert APP0 not in markers(jpeg)
    header = read_header(jpeg)
    assert header
    assert header.adobe == 0


@pytest.mark.parametrize(
    "writer", [name for name in WRITERS if level_of(name).photometric == YCBCR]
)
def test_a_tile_with_a_jfif_segment_of_its_own_gets_no_second(writer: str) -> None:
    tile = stored_tile(made(writer), 0, 0, 0)
    jpeg = TileAssembly(level_of(writer), SEGMENTS).assemble(tile[:2] + JFIF + tile[2:])
    assert jpeg
    assert markers(jpeg).count(APP0) == 1
    assert np.array_equal(by_pillow(jpeg), by_pillow(assembled(writer, 0, 0, 0)))


def test_rgb_without_a_marker_gets_one() -> None:
    """ImageMagick writes such tiles; decoders would guess by the names of the components."""
    level, tile = level_of("libvips-rgb"), stored_tile(made("libvips-rgb"), 0, 0, 0)
    assert tile[2 : 2 + len(ADOBE_RGB)] == ADOBE_RGB
    jpeg = TileAssembly(level, SEGMENTS).assemble(tile[:2] + tile[2 + len(ADOBE_RGB) :])
    assert jpeg
    assert markers(jpeg).count(APP14) == 1
    assert np.array_equal(by_pillow(jpeg), by_pillow(assembled("libvips-rgb", 0, 0, 0)))


def test_a_level_and_a_stream_that_contradict_each_other_are_not_passed_on() -> None:
    ours, rgb = level_of("ours"), level_of("libvips-rgb")
    tile, tile_rgb = (stored_tile(made(name), 0, 0, 0) for name in ("ours", "libvips-rgb"))
    no_transform = tile[:2] + ADOBE_RGB + tile[2:]
    wrong = [
        (replace(rgb, photometric=6), tile_rgb),
        (rgb, tile_rgb[:2] + JFIF + tile_rgb[2:]),
        (ours, no_transform),
        (replace(ours, tile_width=512), tile),
        (replace(ours, samples=1, photometric=1), tile),
        (replace(ours, bits=12), tile),
        (replace(ours, compression=5), tile),
        (replace(ours, contiguous=False), tile),
        (replace(ours, tables=b"\xff\xd8" + ADOBE_RGB + ours.tables[2:]), tile),
        (replace(ours, tables=b"nothing"), tile),
        (ours, tile.replace(b"\xff\xc0", b"\xff\xc9", 1)),
    ]
    for level, stream in wrong:
        assert TileAssembly(level, b"").assemble(stream) is None
    assert TileAssembly(ours, b"").assemble(tile)


def test_what_is_damaged_is_not_passed_on_and_spoils_nothing() -> None:
    assembly = TileAssembly(level_of("ours"), b"")
    tile = stored_tile(made("ours"), 0, 0, 0)
    whole = assembly.assemble(tile)
    assert whole
    for length in range(len(tile) - 1):
        if length < 60 or length > len(tile) - 5:
            assert assembly.assemble(tile[:length]) is None
    assert assembly.assemble(b"\xff\xd8" + bytes(len(tile) - 4) + b"\xff\xd9") is None
    assert assembly.assemble(tile) == whole


def test_a_header_that_never_ends_is_no_header() -> None:
    tile = stored_tile(made("ours"), 0, 0, 0)
    assert read_header(b"\xff\xd8" + b"\xff" * 1000) is None
    assert read_header(b"\xff\xd8" + b"\xff\xe1\x00\x00" * 1000) is None
    assert read_header(b"\xff\xd8\xff\xd9") is None
    assert read_header(b"\xff\xd8\xff\xff" + tile[3:]) is not None
    assert read_header(tile[2:]) is None
    assert read_header(b"\xff\xd8" + struct.pack(">HH", 0xFFE1, 9)) is None
