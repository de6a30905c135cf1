"""Every kind of master in, the same picture out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile

from tests.unit.ingest.made_masters import adobe_to_srgb, cmyk_to_srgb, encode_srgb, mean_difference
from vitrine.errors import MasterRejected
from vitrine.ingest.convert.access_master import PyramidStructure, read_structure, to_file
from vitrine.ingest.convert.conversion import convert
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.recipe import STANDARD, Recipe

pytestmark = pytest.mark.slow

LIMITS = MasterLimits(pixels=10_000_000, bytes=64 * 1024 * 1024)
Save = Callable[..., Path]


@dataclass(frozen=True)
class Access:
    """An access master, and what the conversion saw."""

    path: Path
    structure: PyramidStructure
    samples: list[list[int]]


def run(master: Path, scratch: Path, recipe: Recipe = STANDARD) -> Access:
    scratch.mkdir()
    with LocalFile(master) as file:
        header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), LIMITS)
    path = scratch / "access.tif"
    seen = convert(master, header, recipe, scratch, to_file(path))
    file = path.read_bytes()
    structure = read_structure(lambda start, size: file[start : start + size], len(file))
    return Access(path, structure, seen.samples)


def eight(picture: Any) -> Any:
    return np.round(picture * 255).astype("u1")


def sixteen(picture: Any) -> Any:
    return np.round(picture * 65535).astype("u2")


def test_an_srgb_tiff_keeps_its_colours(picture: Any, save: Save, tmp_path: Path) -> None:
    master = save("m.tif", eight(picture), photometric="rgb")
    assert mean_difference(run(master, tmp_path / "s").path, picture) <= 1.0


def test_sixteen_bit_adobe_rgb_is_colour_managed(
    picture: Any, save: Save, adobe_profile: bytes, tmp_path: Path
) -> None:
    master = save("m.tif", sixteen(picture), photometric="rgb", iccprofile=adobe_profile)
    expected = adobe_to_srgb(picture)
    assert mean_difference(run(master, tmp_path / "s").path, expected) <= 1.0


def test_sixteen_bits_without_profile_are_srgb(picture: Any, save: Save, tmp_path: Path) -> None:
    master = save("m.tif", sixteen(picture), photometric="rgb")
    assert mean_difference(run(master, tmp_path / "s").path, picture) <= 1.0


def test_a_profile_of_another_colour_model_is_ignored(
    picture: Any, save: Save, gray_profile: bytes, tmp_path: Path
) -> None:
    master = save("m.tif", eight(picture), photometric="rgb", iccprofile=gray_profile)
    assert mean_difference(run(master, tmp_path / "s").path, picture) <= 1.0


@pytest.mark.parametrize("bits", [8, 16])
def test_gray_becomes_neutral_srgb(picture: Any, save: Save, tmp_path: Path, bits: int) -> None:
    gray = picture[..., 0]
    pixels = eight(gray) if bits == 8 else sixteen(gray)
    master = save("m.tif", pixels, photometric="minisblack")
    expected = np.repeat(gray[..., None], 3, axis=-1)
    assert mean_difference(run(master, tmp_path / "s").path, expected) <= 1.0


def test_a_gray_profile_is_followed(
    picture: Any, save: Save, gray_profile: bytes, tmp_path: Path
) -> None:
    gray = picture[..., 0]
    master = save("m.tif", sixteen(gray), photometric="minisblack", iccprofile=gray_profile)
    expected = np.repeat(encode_srgb(gray**1.8)[..., None], 3, axis=-1)
    assert mean_difference(run(master, tmp_path / "s").path, expected) <= 1.0


@pytest.mark.parametrize("keep", ["icc", "none"])
def test_cmyk_goes_through_its_profile_or_the_press_profile(
    picture: Any, tmp_path: Path, keep: str
) -> None:
    rgb = pyvips.Image.new_from_array(eight(picture)).copy(interpretation="srgb")
    cmyk = rgb.icc_transform("cmyk", input_profile="srgb", intent="relative")
    expected = cmyk_to_srgb(cmyk.numpy(), cmyk.get("icc-profile-data"))
    cmyk.tiffsave(str(tmp_path / "m.tif"), keep=keep)
    assert mean_difference(run(tmp_path / "m.tif", tmp_path / "s").path, expected) <= 1.0


def test_lab_is_converted_from_d50(picture: Any, save: Save, tmp_path: Path) -> None:
    lightness = np.linspace(20, 90, 700)[None, :].repeat(500, axis=0)
    lab = np.stack([lightness / 100 * 65535, np.zeros_like(lightness), np.zeros_like(lightness)])
    pixels = np.moveaxis(lab, 0, -1).astype("i4").astype("u2")
    master = save("m.tif", pixels, photometric="cielab")
    relative = ((lightness + 16) / 116) ** 3
    expected = np.repeat(encode_srgb(relative)[..., None], 3, axis=-1)
    assert mean_difference(run(master, tmp_path / "s").path, expected) <= 1.0


@pytest.mark.parametrize("kind", ["unassalpha", "assocalpha"])
@pytest.mark.parametrize("bits", [8, 16])
def test_transparent_pixels_show_white(
    picture: Any, save: Save, tmp_path: Path, kind: str, bits: int
) -> None:
    alpha = np.linspace(0, 1, 700)[None, :, None].repeat(500, axis=0)
    colour = picture * alpha if kind == "assocalpha" else picture
    pixels = np.concatenate([colour, alpha], axis=-1)
    stored = eight(pixels) if bits == 8 else sixteen(pixels)
    master = save("m.tif", stored, photometric="rgb", extrasamples=[kind])
    expected = picture * alpha + (1 - alpha)
    assert mean_difference(run(master, tmp_path / "s").path, expected) <= 1.0


def test_transparent_cmyk_shows_paper(save: Save, tmp_path: Path) -> None:
    pixels = np.full((300, 300, 5), 200, "u1")
    pixels[..., 4] = 0
    master = save("m.tif", pixels, photometric="separated", extrasamples=["unassalpha"])
    served = pyvips.Image.tiffload(str(run(master, tmp_path / "s").path))
    assert served.min() >= 250


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_applied(
    picture: Any, save: Save, tmp_path: Path, orientation: int
) -> None:
    master = save(
        "m.tif", eight(picture), photometric="rgb", extratags=[(274, "H", 1, orientation, True)]
    )
    upright = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1),
        6: lambda a: a[::-1].swapaxes(0, 1),
        7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
        8: lambda a: a[:, ::-1].swapaxes(0, 1),
    }[orientation](picture)
    assert mean_difference(run(master, tmp_path / "s").path, upright) <= 1.0


def test_the_largest_page_is_taken(picture: Any, tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((50, 70, 3), "u1"), photometric="rgb")
        writer.write(eight(picture), photometric="rgb")
        writer.write(np.zeros((100, 140, 3), "u1"), photometric="rgb")
    assert mean_difference(run(tmp_path / "m.tif", tmp_path / "s").path, picture) <= 1.0


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_other_formats_are_read(picture: Any, tmp_path: Path, suffix: str) -> None:
    rgb = pyvips.Image.new_from_array(eight(picture)).copy(interpretation="srgb")
    options = {"Q": 95} if suffix != "png" else {}
    master = tmp_path / "misleading.tif"
    master.write_bytes(rgb.write_to_buffer(f".{suffix}", **options))
    assert mean_difference(run(master, tmp_path / "s").path, picture) <= 1.5


def test_a_bilevel_image_is_black_and_white(save: Save, tmp_path: Path) -> None:
    pixels = np.zeros((300, 300), bool)
    pixels[:, 150:] = True
    master = save("m.tif", pixels, photometric="miniswhite")
    served = pyvips.Image.tiffload(str(run(master, tmp_path / "s").path)).numpy()
    assert served[:, :140].min() > 250
    assert served[:, 160:].max() < 5


def test_the_access_master_is_a_pyramid_of_tiles(picture: Any, save: Save, tmp_path: Path) -> None:
    converted = run(save("m.tif", eight(picture), photometric="rgb"), tmp_path / "s")
    assert converted.structure.levels == ((700, 500), (350, 250), (175, 125))
    with tifffile.TiffFile(converted.path) as file:
        assert [page.shape[:2] for page in file.pages] == [(500, 700), (250, 350), (125, 175)]
        assert all(page.tile == (256, 256) for page in file.pages)
        assert all(page.compression == tifffile.COMPRESSION.JPEG for page in file.pages)


@pytest.mark.parametrize("size", [(1, 1), (255, 257), (3, 600)])
def test_odd_and_tiny_masters_are_converted(save: Save, tmp_path: Path, size: Any) -> None:
    converted = run(save("m.tif", np.full((*size, 3), 99, "u1"), photometric="rgb"), tmp_path / "s")
    assert converted.structure.levels[0] == (size[1], size[0])


@pytest.mark.parametrize("compression", [None, "deflate", "lzw", "packbits"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_tiff_is_rejected(
    save: Save, tmp_path: Path, compression: str | None, share: float
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (500, 700, 3), "u1")
    if compression == "lzw":
        whole = tmp_path / "m.tif"
        pyvips.Image.new_from_array(noise).tiffsave(str(whole), compression="lzw")
    else:
        whole = save("m.tif", noise, photometric="rgb", compression=compression, rowsperstrip=64)
    body = whole.read_bytes()
    whole.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(MasterRejected) as raised:
        run(whole, tmp_path / "s")
    assert raised.value.rejection.code in ("damaged-file", "unreadable-file")


def test_a_truncated_jpeg_is_rejected(picture: Any, tmp_path: Path) -> None:
    body = pyvips.Image.new_from_array(eight(picture)).jpegsave_buffer()
    master = tmp_path / "m.jpg"
    master.write_bytes(body[: len(body) // 2])
    with pytest.raises(MasterRejected) as raised:
        run(master, tmp_path / "s")
    assert raised.value.rejection.code == "damaged-file"


def test_two_conversions_at_one_path_do_not_mix(save: Save, tmp_path: Path) -> None:
    for value in (10, 200):
        master = save("same.tif", np.full((300, 300, 3), value, "u1"), photometric="rgb")
        converted = run(master, tmp_path / f"s{value}")
        assert converted.samples[0][2:5] == [value] * 3


def test_a_full_disk_is_not_the_masters_fault(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.ingest.convert.conversion._free_bytes", lambda directory: 1000)
    with pytest.raises(OSError, match="1,000 are free"):
        run(save("m.tif", np.zeros((300, 300, 3), "u1"), photometric="rgb"), tmp_path / "s")
