"""Pixels that no decoder complains about, and that mean less than they should, are noted."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image

from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert, sample
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.recipe import STANDARD

Save = Callable[..., Path]
LIMITS = MasterLimits(pixels=10_000_000, bytes=64 * 1024 * 1024)
CLIPPED, BLANK = "Some floating-point values", "A part of the file is empty (zeros)"


def converted(master: Path, scratch: Path) -> tuple[Any, tuple[str, ...]]:
    """Pixels of the access master, and what is said about the master's; twice the same."""
    scratch.mkdir()
    with LocalFile(master) as file:
        header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), LIMITS)
    result = convert(master, header, STANDARD, scratch, to_file(scratch / "a.tif"))
    assert sample(master, header, STANDARD, scratch) == result
    return pyvips.Image.new_from_file(str(scratch / "a.tif")).numpy(), result.losses


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.nan, 0), (-np.inf, 0), (-3.5, 0), (np.inf, 255), (7.5, 255)],
)
@pytest.mark.parametrize("shape", [(300, 300), (300, 300, 3)], ids=["gray", "rgb"])
def test_float_samples_beyond_black_and_white_are_defined_and_noted(
    save: Save, tmp_path: Path, value: float, expected: int, shape: tuple[int, ...]
) -> None:
    pixels = np.full(shape, 0.5, "f4")
    pixels[64:88, 96:120] = value
    photometric = "rgb" if len(shape) == 3 else "minisblack"
    master = save("m.tif", pixels, photometric=photometric)
    result, losses = converted(master, tmp_path / "s")
    assert np.abs(result[66:86, 98:118].astype(int) - expected).max() <= 2
    assert np.abs(result[200:, 200:].astype(int) - 188).max() <= 2
    assert [sentence.startswith(CLIPPED) for sentence in losses] == [True]


def test_float_samples_between_black_and_white_are_not_noted(save: Save, tmp_path: Path) -> None:
    pixels = np.linspace(0, 1, 300 * 300, dtype="f4").reshape(300, 300)
    assert converted(save("m.tif", pixels), tmp_path / "s")[1] == ()


def lossy_webp() -> bytes:
    file = io.BytesIO()
    noise = np.random.default_rng(2).integers(0, 255, (400, 400, 3), "u1")
    Image.fromarray(noise).save(file, "WEBP", quality=80)
    return file.getvalue()


def test_a_lossy_webp_with_a_blank_part_is_noted(tmp_path: Path) -> None:
    body = lossy_webp()
    (tmp_path / "m.webp").write_bytes(body)
    assert converted(tmp_path / "m.webp", tmp_path / "whole")[1] == ()
    half = body[: len(body) // 2]
    (tmp_path / "m.webp").write_bytes(half + bytes(len(body) - len(half)))
    [sentence] = converted(tmp_path / "m.webp", tmp_path / "half")[1]
    assert sentence.startswith(BLANK)


@pytest.mark.slow
def test_a_webp_of_one_colour_has_no_blank_part(tmp_path: Path) -> None:
    Image.new("RGB", (3000, 3000), (128, 128, 128)).save(tmp_path / "m.webp", quality=95)
    assert converted(tmp_path / "m.webp", tmp_path / "s")[1] == ()
