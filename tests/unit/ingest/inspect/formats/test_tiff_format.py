"""TIFF directories and strips: what libtiff would mend or guess is refused."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile

from tests.rigs.corpora.corpus_colours import ADOBE_PROFILE, eight, picture
from tests.rigs.corruption.variant_judge import convert_pixels
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


def test_an_impossible_orientation_is_ignored(save: Save) -> None:
    extra = [(ORIENTATION, "H", 1, 9, True)]
    master = save("m.tif", eight(picture()), photometric="rgb", extratags=extra)
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7


def test_rgb_with_an_unexplained_fourth_sample_keeps_its_colours(save: Save) -> None:
    pixels: Any = np.dstack([eight(picture()), np.zeros((160, 240), "u1")])
    master = save("m.tif", pixels, photometric="rgb", extrasamples=["unspecified"])
    assert difference(convert_pixels(master) / 255, picture()) <= 0.7


def read(master: Path) -> Any:
    with LocalFile(master) as file:
        return read_tiff(file, 100, 1_000_000_000)


def value_of(master: Path) -> str:
    with pytest.raises(MasterRejected) as raised:
        read(master)
    return f"{raised.value.rejection.code}: {raised.value.rejection.value}"


@pytest.mark.parametrize(
    ("tag", "value", "reason"),
    [
        (258, 12, "unsupported-depth: 12-bit samples in gray colours"),
        (258, 32, "unsupported-depth: 32-bit samples in gray colours"),
        (259, 6, "unsupported-compression: old-style JPEG"),
    ],
)
def test_what_is_not_decoded_is_refused_for_its_true_reason(
    save: Save, tag: int, value: int, reason: str
) -> None:
    master = save("m.tif", eight(picture())[..., 0], photometric="minisblack")
    assert value_of(patched(master, tag, 0, value)) == reason


def test_raw_data_in_a_sub_image_are_refused_as_such(save: Save) -> None:
    master = save("m.tif", eight(picture())[::2, ::2], photometric="rgb")
    with tifffile.TiffWriter(master) as writer:
        writer.write(eight(picture())[::2, ::2], photometric="rgb", subifds=1)
        writer.write(eight(picture())[..., 0], photometric="cfa")
    assert value_of(master) == "unsupported-format: Camera raw"


def notes_of(master: Path, *pages: tuple[Any, dict[str, Any]]) -> list[str]:
    with tifffile.TiffWriter(master) as writer:
        for pixels, options in pages:
            writer.write(pixels, **options)
    return [note.code for note in read(master).picture_format.notes]


def test_pages_left_out_are_noted_by_what_they_are(tmp_path: Path) -> None:
    full = (eight(picture()), {"photometric": "rgb"})
    mask = (np.ones((160, 240), bool), {"photometric": "mask", "subfiletype": 4})
    thumbnail = (eight(picture())[::8, ::8], {"photometric": "rgb"})
    label = (eight(picture())[:20, :50], {"photometric": "rgb"})
    reduced = (eight(picture())[:20, :50], {"photometric": "rgb", "subfiletype": 1})
    master = tmp_path / "m.tif"
    assert notes_of(master, mask, full) == ["mask-left-out"]
    assert notes_of(master, full, thumbnail, reduced) == []
    assert notes_of(master, full, label) == ["pages-left-out"]
    assert notes_of(master, full, full) == ["pages-left-out"]


def test_a_profile_of_the_parent_page_holds_for_its_sub_image(tmp_path: Path) -> None:
    master = tmp_path / "m.tif"
    with tifffile.TiffWriter(master) as writer:
        small = eight(picture())[::4, ::4]
        writer.write(small, photometric="rgb", subifds=1, iccprofile=ADOBE_PROFILE)
        writer.write(eight(picture()), photometric="rgb")
    assert read(master).picture_format.icc == ADOBE_PROFILE


@pytest.mark.slow
@pytest.mark.parametrize("side", [4_096, 8_192])
def test_tiles_of_more_bytes_than_libvips_takes_are_decoded(save: Save, side: int) -> None:
    pixels: Any = np.zeros((400, side + 16, 3), "u2" if side < 8_000 else "u1")
    pixels[:, side:] = np.iinfo(pixels.dtype).max
    options = {"photometric": "rgb", "tile": (side, side), "compression": "deflate"}
    master = save("m.tif", pixels, **options)
    assert read(master).strips.oversized
    converted = convert_pixels(master)
    assert (converted[:, :side] == 0).all()
    assert (converted[:, side:] == 255).all()


def test_tiles_that_are_nearly_all_padding_are_refused(save: Save) -> None:
    """A small file must not make libraries inflate gigabytes."""
    options = {"photometric": "minisblack", "tile": (16, 16), "compression": "deflate"}
    master = save("m.tif", np.zeros((16, 16), "u1"), **options)
    patched(master, 322, 0, 32_768)
    assert value_of(patched(master, 323, 0, 32_768)) == "tiles-too-large: 32768 x 32768"


def test_damage_in_the_padding_of_a_large_tile_is_noticed(save: Save) -> None:
    """LZW has no checksum: what is read of it after the picture's last row tells."""
    options = {"photometric": "rgb", "tile": (1024, 1024), "compression": "lzw"}
    master = save("m.tif", eight(picture()), **options)
    with tifffile.TiffFile(master) as file:
        [offset], [count] = file.pages.first.dataoffsets, file.pages.first.databytecounts
    body = bytearray(master.read_bytes())
    body[offset + count - 400 : offset + count] = bytes(400)
    master.write_bytes(body)
    with pytest.raises(MasterRejected, match="damaged-file"):
        convert_pixels(master)
