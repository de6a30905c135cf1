"""A pyramid made elsewhere is laid out again without a pixel changed; anything else is rejected."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from typer.testing import CliRunner

from tests.unit.ingest.made_pyramids import image_of, picture, write_file
from vitrine.cli import build_app
from vitrine.ingest.repair.relayout import relayout
from vitrine.store.tiff.entry import MalformedTiff

PIXELS = picture(1101, 777)


def levels(path: Path) -> list[Any]:
    with tifffile.TiffFile(path) as file:
        subifds = file.pages[0].pages or []
        return [page.asarray() for page in (*file.pages, *subifds)]


def assert_laid_out_anew(source: Path, target: Path) -> None:
    head_bytes = relayout(source, target)
    for found, expected in zip(levels(target), levels(source), strict=True):
        np.testing.assert_array_equal(found, expected)
    with tifffile.TiffFile(target) as file:
        offsets = [page.dataoffsets[0] for page in file.pages]
        assert offsets == sorted(offsets, reverse=True)
        assert offsets[-1] == head_bytes
        assert max(page.offset for page in file.pages) < head_bytes
    tiffinfo = subprocess.run(["tiffinfo", target], capture_output=True, text=True)
    assert (tiffinfo.returncode, tiffinfo.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"compression": "jpeg", "Q": 90},
        {"compression": "jpeg", "Q": 75},
        {"compression": "jpeg", "Q": 75, "bigtiff": True},
        {"compression": "jpeg", "Q": 90, "subifd": True},
        {"compression": "deflate", "predictor": "horizontal"},
        {"compression": "none"},
    ],
)
def test_what_libvips_wrote_keeps_its_pixels(tmp_path: Path, options: dict[str, Any]) -> None:
    source = tmp_path / "s.tif"
    image_of(PIXELS).tiffsave(
        str(source), tile=True, tile_width=256, tile_height=256, pyramid=True, **options
    )
    assert_laid_out_anew(source, tmp_path / "t.tif")


def test_what_imagemagick_wrote_keeps_its_pixels(tmp_path: Path) -> None:
    image_of(PIXELS).pngsave(str(tmp_path / "m.png"))
    source = tmp_path / "s.tif"
    geometry = ["-define", "tiff:tile-geometry=256x256", "-compress", "jpeg"]
    command = ["convert-im6.q16", tmp_path / "m.png", *geometry, f"ptif:{source}"]
    subprocess.run(command, check=True)
    assert_laid_out_anew(source, tmp_path / "t.tif")


def test_big_endian_pyramids_are_turned(tmp_path: Path) -> None:
    source = tmp_path / "s.tif"
    with tifffile.TiffWriter(source, byteorder=">") as file:
        for step in (1, 2):
            part = PIXELS[:400:step, :400:step]
            file.write(part, tile=(256, 256), photometric="rgb", metadata=None, software="made")
    assert_laid_out_anew(source, tmp_path / "t.tif")
    with tifffile.TiffFile(tmp_path / "t.tif") as file:
        assert file.byteorder == "<"
        assert file.pages[0].tags["Software"].value == "made"


def test_our_own_stays_as_it_is(tmp_path: Path) -> None:
    write_file(PIXELS, tmp_path / "s.tif")
    relayout(tmp_path / "s.tif", tmp_path / "t.tif")
    assert (tmp_path / "t.tif").read_bytes() == (tmp_path / "s.tif").read_bytes()


def test_a_pyramid_can_replace_itself(tmp_path: Path) -> None:
    source = tmp_path / "s.tif"
    image_of(PIXELS).tiffsave(str(source), tile=True, pyramid=True, compression="jpeg")
    before = levels(source)
    relayout(source, source)
    for found, expected in zip(levels(source), before, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert [path.name for path in tmp_path.iterdir()] == ["s.tif"]


def strips(path: Path) -> None:
    tifffile.imwrite(path, PIXELS, photometric="rgb")


def sixteen_bits(path: Path) -> None:
    with tifffile.TiffWriter(path, byteorder=">") as file:
        for side in (300, 150):
            file.write(np.zeros((side, side), "u2"), tile=(256, 256), metadata=None)


def cut_off(path: Path) -> None:
    write_file(PIXELS, path)
    path.write_bytes(path.read_bytes()[:-5_000])


def no_tiff(path: Path) -> None:
    image_of(PIXELS).jpegsave(str(path))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (strips, "Not all of its pages are tiled."),
        (sixteen_bits, "big-endian"),
        (cut_off, "A tile ends at byte"),
        (no_tiff, "It is no TIFF: it does not start with II or MM."),
    ],
)
def test_what_is_no_pyramid_is_refused(tmp_path: Path, make: Any, sentence: str) -> None:
    make(tmp_path / "s.tif")
    with pytest.raises(MalformedTiff, match=sentence):
        relayout(tmp_path / "s.tif", tmp_path / "t.tif")
    assert [path.name for path in tmp_path.iterdir()] == ["s.tif"]


def test_the_verb_says_what_it_did(tmp_path: Path) -> None:
    write_file(PIXELS, tmp_path / "s.tif")
    done = CliRunner().invoke(
        build_app(), ["pyramid", "relayout", str(tmp_path / "s.tif"), str(tmp_path / "t.tif")]
    )
    assert done.exit_code == 0
    assert "directories and indexes" in done.stdout


def test_the_verb_refuses_with_a_sentence(tmp_path: Path) -> None:
    strips(tmp_path / "s.tif")
    done = CliRunner().invoke(
        build_app(), ["pyramid", "relayout", str(tmp_path / "s.tif"), str(tmp_path / "t.tif")]
    )
    assert done.exit_code == 1
    assert done.stderr.strip().endswith("Not all of its pages are tiled.")
