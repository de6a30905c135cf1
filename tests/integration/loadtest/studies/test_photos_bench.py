"""Agents send photographs to a real service: what is published, refused, or left on its way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pyvips
from markupsafe import escape

from loadtest.corpora.camera_photographs import Sample
from loadtest.rigs.service_instance import Instance, running_in
from loadtest.studies.photos.photo_agents import Agents
from loadtest.studies.photos.photo_series import CAPTIONS
from loadtest.studies.photos.photos_report import html, text, write_csv
from loadtest.studies.photos.photos_study import PhotosStudy, measure_on
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE

if TYPE_CHECKING:
    from conftest import Service

SIDE = 400


def sample(path: Path) -> Sample:
    return Sample(
        name=path.name,
        path=str(path),
        sha256="0",
        bytes=path.stat().st_size,
        width=SIDE,
        height=SIDE,
        quality=90,
        enlargement=1.0,
        photograph="drawn",
    )


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    found = []
    for number in range(2):
        pixels = np.random.default_rng(number).integers(0, 255, (SIDE, SIDE, 3), np.uint8)
        path = tmp_path / f"drawn-{number}.jpg"
        pyvips.Image.new_from_array(pixels, interpretation="srgb").jpegsave(str(path))
        found.append(sample(path))
    return found


@pytest.fixture
def running(service: Service, monkeypatch: pytest.MonkeyPatch) -> Instance:
    directory = service.environment[DIRECTORY_VARIABLE]
    monkeypatch.setenv(DIRECTORY_VARIABLE, directory)
    return running_in(Path(directory), service.addresses)


def quiet(done: int, wrong: int) -> None:
    """Nobody looks."""


def test_every_photograph_is_counted_with_its_bytes_times_and_price(
    running: Instance, samples: list[Sample], tmp_path: Path
) -> None:
    figures = measure_on(running, PhotosStudy(agents=2, photos=4), samples, lambda name: quiet)
    assert figures["complete"]
    assert (figures["requests"], figures["successes"], figures["errors"]) == (4, 4, 0)
    sizes = {one.name: one.bytes for one in samples}
    assert figures["bytes_in"] == sum(sizes[one["sample"]] for one in figures["photos"])
    assert {one["agent"] for one in figures["photos"]} == {0, 1}
    for one in figures["photos"]:
        assert one["bytes_out"] > 0
        assert one["begun"] < one["uploaded"] < one["ended"]
        assert 0 < one["server_seconds"] < one["ended"] - one["begun"] + 1
    assert figures["images_per_hour"] == pytest.approx(14_400 / figures["seconds"], rel=0.01)
    assert figures["cpu_seconds"]["lambdas"] > 0
    assert sum(row["request_rate"] > 0 for row in figures["series"]) > 0
    page = html(figures, {"cores": 2})
    assert all(escape(caption) in page for caption in CAPTIONS.values())
    assert "c4.2xlarge" in text(figures)
    write_csv(figures, tmp_path)
    assert (tmp_path / "photos.csv").read_text().count("\n") == 5


def test_what_is_refused_counts_as_an_error_with_its_reason(
    running: Instance, samples: list[Sample], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff" + b"no photograph" * 100)
    agents = Agents(running, [sample(broken)], 1, 1, seed=1, limit_seconds=120)
    assert agents.run(quiet)
    [one] = agents.sent
    assert (one.good, one.state) == (False, "rejected")
    assert one.sentence


def test_after_ctrl_c_those_on_their_way_are_left_and_marked(
    running: Instance, samples: list[Sample]
) -> None:
    def interrupt(done: int, wrong: int) -> None:
        if done:
            raise KeyboardInterrupt

    agents = Agents(running, samples, 2, 50, seed=1, limit_seconds=120)
    begun = time.monotonic()
    assert not agents.run(interrupt)
    assert time.monotonic() - begun < 100
    assert 1 <= sum(one.good for one in agents.sent) < 50
    assert all(one.good or one.state == "unfinished" for one in agents.sent)
