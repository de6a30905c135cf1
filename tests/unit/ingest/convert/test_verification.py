"""Verification reads a little of an access master and notices what is wrong with it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips

from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.errors import MasterRejected
from vitrine.ingest.convert import sample_squares
from vitrine.ingest.convert.access_master import read_structure, to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.sample_squares import GRID, LEVELS, SIDE, SampleRecorder
from vitrine.ingest.convert.verification import verify
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.recipe import LIGHT, STANDARD, TIFFSAVE, Recipe
from vitrine.store.ranged import whole_ranges
from vitrine.store.tiff.entry import text
from vitrine.store.tiff.tags import Tag

PIXELS = picture(1300, 1100)
RIJKSMUSEUM = Metadata({Tag.ARTIST: text("Rembrandt")})


class CountingFile:
    """A local file that counts what is read of it."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self.size = len(self._data)
        self.bytes_read = 0

    def read_at(self, position: int, size: int) -> bytes:
        self.bytes_read += size
        return self._data[position : position + size]


def convert(
    path: Path, pixels: Any = PIXELS, recipe: Recipe = STANDARD, metadata: Metadata = RIJKSMUSEUM
) -> MasterConverted:
    """An access master at `path`, and the message about it."""
    recorder = SampleRecorder(pixels.shape[1], pixels.shape[0], recipe)
    image = image_of(pixels)
    write_access_master(image, metadata, recipe, to_file(path), path.parent, recorder.add)
    return message(path, recorder.samples())


def message(path: Path, samples: list[list[int]]) -> MasterConverted:
    with LocalFile(path) as file:
        structure = read_structure(whole_ranges(file), file.size)
    return MasterConverted(
        master_key="m.tif",
        master_version="1",
        master_etag="e",
        master_bytes=1,
        master_modified="2026-11-21T08:00:00Z",
        identifier="m",
        width=structure.levels[0][0],
        height=structure.levels[0][1],
        version="v",
        access_master_key="a.tif",
        access_master_bytes=path.stat().st_size,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=[list(level) for level in structure.levels],
        samples=samples,
        metadata_digest=structure.metadata_digest,
    )


def fault(path: Path, converted: MasterConverted) -> str:
    with LocalFile(path) as file, pytest.raises(MasterRejected) as raised:
        verify(file, converted)
    assert raised.value.rejection.code == "conversion-differs"
    return f"{raised.value.rejection.sentence} {raised.value.rejection.value}"


@pytest.mark.parametrize("recipe", [STANDARD, LIGHT])
def test_a_faithful_access_master_passes(tmp_path: Path, recipe: Recipe) -> None:
    converted = convert(tmp_path / "a.tif", recipe=recipe)
    with LocalFile(tmp_path / "a.tif") as file:
        verify(file, converted)


NOISE = np.random.default_rng(3)
DOTS = NOISE.random((520, 700, 3))


def grain(base: tuple[int, int, int], deviation: float) -> Any:
    """A plain ground with grain, cut off where bytes end."""
    return np.clip(base + NOISE.normal(0, deviation, (520, 700, 3)), 0, 255).round().astype("u1")


GRAINY = {
    "dark": lambda: grain((4, 4, 4), 12),
    "very dark": lambda: grain((10, 10, 10), 30),
    "saturated": lambda: grain((250, 5, 5), 12),
    "light": lambda: grain((252, 252, 252), 25),
    "strong": lambda: grain((200, 20, 40), 60),
    "sparse coloured dots": lambda: ((DOTS < 0.05) * 255).astype("u1"),
    "coloured noise": lambda: ((DOTS < 0.5) * 255).astype("u1"),
    "bilevel noise": lambda: (np.repeat(DOTS[..., :1] < 0.1, 3, axis=2) * 255).astype("u1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAINY)
@pytest.mark.parametrize(
    "recipe", [STANDARD, LIGHT, replace(STANDARD, subsampling="420", quality=75)]
)
def test_strong_grain_passes(tmp_path: Path, name: str, recipe: Recipe) -> None:
    converted = convert(tmp_path / "a.tif", GRAINY[name](), recipe)
    with LocalFile(tmp_path / "a.tif") as file:
        verify(file, converted)


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAINY)
def test_a_shift_by_three_is_noticed_in_strong_grain(tmp_path: Path, name: str) -> None:
    """Half of what the tolerance alone would have to be."""
    right = convert(tmp_path / "a.tif", GRAINY[name]())
    for number in range(2, 2 + 3 * len(right.levels)):
        samples = [list(sample) for sample in right.samples]
        samples[5][number] += 3
        assert "in its colours;" in fault(tmp_path / "a.tif", replace(right, samples=samples))


def test_a_codec_that_returns_another_picture_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(*arguments: Any, **options: Any) -> Any:
        return decode(*arguments, **options)[..., ::-1]

    decode = sample_squares.jpeg8_decode
    monkeypatch.setattr(sample_squares, "jpeg8_decode", swapped)
    recorder = SampleRecorder(PIXELS.shape[1], PIXELS.shape[0], STANDARD)
    recorder.add(PIXELS)
    with pytest.raises(MasterRejected, match="conversion-differs"):
        recorder.samples()


def test_what_libvips_writes_passes_but_for_its_metadata(tmp_path: Path) -> None:
    converted = convert(tmp_path / "a.tif", recipe=TIFFSAVE)
    assert "metadata" in fault(tmp_path / "a.tif", converted)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (20, 400), (257, 31), (600, 5)])
def test_small_ones_pass(tmp_path: Path, width: int, height: int) -> None:
    converted = convert(tmp_path / "a.tif", picture(width, height))
    with LocalFile(tmp_path / "a.tif") as file:
        verify(file, converted)


@pytest.mark.slow
def test_only_a_few_tiles_are_read(tmp_path: Path) -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (5_000, 4_000, 3)).astype("u1")
    converted = convert(tmp_path / "a.tif", pixels)
    file = CountingFile(tmp_path / "a.tif")
    verify(file, converted)
    assert file.bytes_read < file.size / 3


def of_other_colours(converted: MasterConverted) -> MasterConverted:
    samples = [[x, y, red, green + 3, *more] for x, y, red, green, *more in converted.samples]
    return replace(converted, samples=samples)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (of_other_colours, "colours"),
        (lambda converted: replace(converted, levels=converted.levels[:-1]), "levels"),
        (lambda converted: replace(converted, width=converted.width + 1), "size"),
        (lambda converted: replace(converted, tile_width=512), "tiles"),
        (lambda converted: replace(converted, metadata_digest="0" * 64), "metadata"),
    ],
)
def test_what_differs_is_named(
    tmp_path: Path, change: Callable[[MasterConverted], MasterConverted], what: str
) -> None:
    converted = convert(tmp_path / "a.tif")
    assert f"in its {what};" in fault(tmp_path / "a.tif", change(converted))


def test_a_cut_off_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    converted = convert(path)
    path.write_bytes(path.read_bytes()[:-1])
    assert "in its tiles;" in fault(path, converted)
    path.write_bytes(path.read_bytes()[:2_000])
    assert "in its file;" in fault(path, converted)


def test_a_damaged_tile_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    converted = convert(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)
    assert "tile" in fault(path, converted) or "colours" in fault(path, converted)


def test_a_smaller_level_of_another_picture_is_noticed(tmp_path: Path) -> None:
    """Full resolution is right, the levels under it are not."""
    path = tmp_path / "a.tif"
    converted = convert(path)
    pyvips.Image.new_from_file(str(path)).invert().tiffsave(
        str(tmp_path / "b.tif"), tile=True, pyramid=True, compression="jpeg", Q=90
    )
    wrong = replace(message(tmp_path / "b.tif", converted.samples), metadata_digest="")
    assert "in its" in fault(tmp_path / "b.tif", wrong)


def test_samples_are_means_of_squares_inside_one_tile() -> None:
    recorder = SampleRecorder(PIXELS.shape[1], PIXELS.shape[0], STANDARD)
    for top in range(0, len(PIXELS), 7):
        recorder.add(PIXELS[top : top + 7])
    samples = recorder.samples()
    assert len(samples) == GRID * GRID
    for x, y, *colour in samples:
        assert (x % SIDE, y % SIDE) == (0, 0)
        square = PIXELS[y : y + SIDE, x : x + SIDE].mean(axis=(0, 1))
        assert len(colour) == 3 * LEVELS
        np.testing.assert_allclose(np.reshape(colour, (LEVELS, 3)), [square] * LEVELS, atol=1.5)
