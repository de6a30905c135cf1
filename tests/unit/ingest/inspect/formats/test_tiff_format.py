"""TIFF directories and strips: what libtiff would mend or guess is refused."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from loadtest.corpora.corpus_colours import eight, picture
from loadtest.drills.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.formats.tiff_picture import read_tiff
from vitrine.ingest.inspect.master_bytes import LocalFile

Save = Callable[..., Path]
ROWS = 16
STRIP_OFFSETS, STRIP_BYTE_COUNTS, ORIENTATION = 273, 279, 274


def code_of(master: Path) -> str:
    with pytest.raises(MasterRejected) as raised, LocalFile(master) as file:
        read_tiff(file, 100, 10_000_000)
    return raised.value.rejection.code


def patched(master: Path, tag: int, index: int, value: int) -> Path:
    """Overwrite one value of a tag."""
    with tifffile.TiffFile(master) as file:
        found = file.pages[0].tags[tag]  # type: ignore[union-attr]
    form = {3: "<H", 4: "<I", 16: "<Q"}[found.dtype]
    body = bytearray(master.read_bytes())
    struct.pack_into(form, body, found.valueoffset + index * struct.calcsize(form), value)
    master.write_bytes(body)
    return master


@pytest.fixture
def strips(save: Save) -> Path:
    """Ten strips."""
    return save("m.tif", eight(picture()), photometric="rgb", rowsperstrip=ROWS)


def test_a_missing_tile_is_damage(save: Save) -> None:
    master = save("m.tif", eight(picture()), photometric="rgb", tile=(64, 64), compression="lzw")
    assert code_of(patched(master, 324, 3, 0)) == "damaged-file"


def test_an_empty_tile_is_damage(save: Save) -> None:
    master = save("m.tif", eight(picture()), photometric="rgb", tile=(64, 64), compression="lzw")
    assert code_of(patched(master, 325, 3, 0)) == "damaged-file"


@pytest.mark.parametrize("count", [0, 100, 65_535, 240 * 3 * (ROWS + 1)])
def test_a_strip_of_a_wrong_length_is_damage(strips: Path, count: int) -> None:
    assert code_of(patched(strips, STRIP_BYTE_COUNTS, 4, count)) == "damaged-file"


def test_a_strip_beyond_the_end_is_damage(strips: Path) -> None:
    position = strips.stat().st_size - 100
    assert code_of(patched(strips, STRIP_OFFSETS, 9, position)) == "damaged-file"


def test_a_strip_with_a_little_padding_is_no_damage(strips: Path) -> None:
    patched(strips, STRIP_BYTE_COUNTS, 4, 240 * 3 * ROWS + 4)
    assert difference(convert_pixels(strips) / 255, picture()) <= 0.7


def test_a_height_that_does_not_fit_the_strips_is_damage(strips: Path) -> None:
    assert code_of(patched(strips, 257, 0, 100)) == "damaged-file"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_a_file_cut_off_before_its_directory_is_damage(
    tmp_path: Path, order: str, big: bool
) -> None:
    name = b"II" if order == "<" else b"MM"
    head = name + struct.pack(f"{order}HHHQ", 43, 8, 0, 5000)
    if not big:
        head = name + struct.pack(f"{order}HI", 42, 5000)
    master = tmp_path / "m.tif"
    for body in (head.ljust(5001, b"\0"), head.ljust(4999, b"\0"), head[:6]):
        master.write_bytes(body)
        assert code_of(master) == "damaged-file"


def test_a_chain_of_pages_that_is_a_loop_is_damage(save: Save) -> None:
    master = save("m.tif", eight(picture()), photometric="rgb")
    body = bytearray(master.read_bytes())
    [directory] = struct.unpack_from("<I", body, 4)
    [count] = struct.unpack_from("<H", body, directory)
    struct.pack_into("<I", body, directory + 2 + 12 * count, directory)
    master.write_bytes(body)
    assert code_of(master) == "damaged-file"


def test_a_flipped_bit_in_deflated_pixels_is_noticed(save: Save) -> None:
    master = save("m.tif", eight(picture()), photometric="rgb", compression="deflate")
    body = bytearray(master.read_bytes())
    for place in range(len(body) // 2, len(body) - 10, 500):
        damaged = bytearray(body)
        damaged[place] ^= 4
        master.write_bytes(damaged)
        with pytest.raises(MasterRejected, match="damaged-file"):
            convert_pixels(master)


def test_trifles_in_the_directory_do_not_matter(save: Save) -> None:
    """A private tag and a text without its final zero, of which libtiff warns."""
    extra = [(65000, "B", 3, b"abc", True), (270, "B", 5, b"hello", True)]
    master = save("m.tif", eight(picture()), photometric="rgb", extratags=extra, description=None)
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7


def test_an_impossible_orientation_is_none(save: Save) -> None:
    extra = [(ORIENTATION, "H", 1, 9, True)]
    master = save("m.tif", eight(picture()), photometric="rgb", extratags=extra)
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7


def test_rgb_with_an_unexplained_fourth_sample_keeps_its_colours(save: Save) -> None:
    pixels: Any = np.dstack([eight(picture()), np.zeros((160, 240), "u1")])
    master = save("m.tif", pixels, photometric="rgb", extrasamples=["unspecified"])
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7
