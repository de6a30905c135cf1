"""Agents send photographs over TLS to real doors: ours, and Pillow's."""

from pathlib import Path

import numpy as np
import pytest
import pyvips

from loadtest.corpora.camera_photographs import SamplePhotograph
from loadtest.servers.photo_doors.engine import SIDE
from loadtest.servers.photo_doors.engines import ENGINES
from loadtest.studies.photo_door.photo_door_report import (
    BARESOIL,
    CAPTIONS,
    REPORT,
    write_csv,
)
from loadtest.studies.photo_door.photo_door_study import PhotoDoorStudy, measure_photo_doors
from tests.unit.loadtest.shown_report import page_of, text_of

WIDTH, HEIGHT = 1_200, 800
ROUND = {"agents": 2, "seconds": 1.0, "ramp_seconds": 0.2, "rounds": 1}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, and a small photograph in the place of the four large ones."""
    path = tmp_path / "drawn.jpg"
    pixels = np.random.default_rng(5).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    pyvips.Image.new_from_array(pixels, interpretation="srgb").jpegsave(str(path))
    drawn = SamplePhotograph(
        name=path.name,
        path=str(path),
        sha256="0",
        bytes=path.stat().st_size,
        width=WIDTH,
        height=HEIGHT,
        quality=90,
        enlargement=1.0,
        photograph="drawn",
    )
    module = "loadtest.studies.photo_door.photo_door_study"
    monkeypatch.setattr(f"{module}.make_samples", lambda *_: [drawn])
    return tmp_path


def measure(study: PhotoDoorStudy) -> dict:
    return measure_photo_doors(study, print, lambda _: lambda done, of: None)


def test_doors_answer_every_photograph_with_a_thumbnail(scratch: Path) -> None:
    engines = ("ours", "ours-form", "pillow")
    figures = measure(PhotoDoorStudy(engines=engines, scratch=scratch, **ROUND))
    assert figures["complete"]
    assert [door["name"] for door in figures["doors"]] == list(engines)
    for door in figures["doors"]:
        assert door["errors"] == 0
        assert door["successes"] == door["requests"] > 1
        assert door["cpu_milliseconds"]["median"] > 0
        assert door["peak_mebibytes"] > 20
        assert door["bytes_out"] > 1_000 * door["successes"]
    words = text_of(REPORT, figures)
    assert BARESOIL["images an hour"] in words
    assert "uploaded to S3" in words
    page = page_of(REPORT, figures)
    assert page.count("<svg") == len(engines) * len(CAPTIONS)
    write_csv(figures, scratch)
    lines = (scratch / "series.csv").read_text().splitlines()
    assert {line.partition(",")[0] for line in lines[1:]} == set(engines)


def test_an_answer_without_a_thumbnail_is_an_error(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = ENGINES["ours"]()
    broken = type(ours)(
        name="ours", start=ours.start, sides=(SIDE, 150), send=lambda *_: (200, b"no picture")
    )
    monkeypatch.setitem(ENGINES, "ours", lambda: broken)
    with pytest.raises(Exception, match="no thumbnail in the answer"):
        measure(PhotoDoorStudy(engines=("ours",), scratch=scratch, **ROUND))
