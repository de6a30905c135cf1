"""What is said of formats is what the rows say, and grey is no answer."""

from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest

from loadtest.errors import InvalidScenario
from loadtest.studies.formats.encoded_pyramid import Pixels
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.studies.formats.format_figures import (
    PERCENTS,
    decode_milliseconds,
    pool_rounds,
)
from loadtest.studies.formats.format_pictures import first_photographs
from loadtest.studies.formats.format_requests import (
    KINDS,
    format_targets,
    listed_requests,
    study_requests,
)
from loadtest.studies.formats.picture_match import wrong_pixels
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target


def row(number: int, times: list[float], cpu: float) -> dict[str, Any]:
    return {
        "server": "one",
        "format": "jp2-lossy",
        "kind": "50",
        "round": number,
        "requests": len(times) + 1,
        "failures": 1,
        "cpu_ms": cpu,
        "generator_cores": 0.1,
        "milliseconds": times,
        "decode_milliseconds": [2.0 * time for time in times],
        "bytes": [100] * len(times),
    }


def test_percentiles_and_cpu_are_of_all_rounds() -> None:
    checks = [
        {"server": "one", "format": "jp2-lossy", "kind": "50", "requests": 4, "wrong": 1},
    ]
    [found] = pool_rounds([row(1, [1.0, 2.0], 30.0), row(2, [3.0, 4.0], 60.0)], checks)
    assert (found["requests"], found["failures"], found["wrong_pixels"]) == (6, 2, 0.25)
    assert found["cpu_ms_per_request"] == 15.0
    assert found["decode_ms"] == 5.0
    percentiles = found["percentiles_ms"]
    assert list(percentiles) == [f"{percent:g}" for percent in PERCENTS]
    assert (percentiles["50"], percentiles["75"], percentiles["100"]) == (2.0, 3.0, 4.0)


def test_decoding_time_is_what_the_server_tells() -> None:
    def answer(timing: str) -> Answer:
        return Answer(Target("50", "/x"), 0.1, 200, 10, {"server-timing": timing}, "")

    assert decode_milliseconds(answer("decode;dur=1.5, rest;dur=9")) == 1.5
    assert decode_milliseconds(answer("")) is None


def test_equal_seeds_ask_every_format_for_equal_things() -> None:
    [picture] = first_photographs(1)
    requests = study_requests([picture], 1)
    assert requests == study_requests([picture], 1)
    assert requests != study_requests([picture], 2)
    assert list(dict.fromkeys(request.kind for request in requests)) == list(KINDS)
    one, other = (format_targets(requests, FORMATS[name]) for name in ("jp2-lossy", "ptiff-lossy"))
    rest = [target.path.rpartition(picture.name)[2].partition("/")[2] for target in one]
    assert [t.path.rpartition(picture.name)[2].partition("/")[2] for t in other] == rest


@pytest.fixture
def lists(tmp_path: Path) -> tuple[Path, Path]:
    urls, sizes = tmp_path / "viewer.txt", tmp_path / "sizes.csv"
    sizes.write_text("id,width,height\na,300,200\nb,500,400\n")
    urls.write_text(
        "b.tif/info.json\na.tif/info.json\nb.tif/full/90,/0/default.jpg\n"
        "b.tif/full/90,/0/default.jpg\nunknown.tif/info.json\n"
    )
    return urls, sizes


def test_lists_are_asked_of_the_images_they_ask_for_most(lists: tuple[Path, Path]) -> None:
    urls, sizes = lists
    images, requests = listed_requests([urls], sizes, images=1, requests=10)
    assert images == [("b", 500, 400)]
    assert requests == [("viewer", "b", "info.json"), ("viewer", "b", "full/90,/0/default.jpg")]


def test_lists_of_other_images_are_refused(lists: tuple[Path, Path]) -> None:
    urls, sizes = lists
    sizes.write_text("id,width,height\nelse,1,1\n")
    with pytest.raises(InvalidScenario, match="request no image"):
        listed_requests([urls], sizes, images=1, requests=10)
    sizes.write_text("name\nelse\n")
    with pytest.raises(InvalidScenario, match="columns id, width, height"):
        listed_requests([urls], sizes, images=1, requests=10)


@pytest.fixture
def picture() -> Pixels:
    slopes = np.mgrid[0:300, 0:400][0][:, :, None] * 200 // 300
    grain = np.random.default_rng(1).integers(0, 40, (300, 400, 3))
    pixels: Pixels = (slopes + grain).astype(np.uint8)
    return pixels


def jpeg(pixels: Pixels) -> bytes:
    return bytes(imagecodecs.jpeg8_encode(np.ascontiguousarray(pixels), 90))


def test_answers_are_compared_with_the_picture(picture: Pixels) -> None:
    region = Target("small region", "/iiif/2/x.jp2/100,50,200,200/full/0/default.jpg")
    shown = picture[50:250, 100:300]
    assert wrong_pixels(region, jpeg(shown), picture) == ""
    grey = np.full_like(shown, int(shown.mean()))
    darker = (shown * 0.6).astype(np.uint8)
    assert "flat" in wrong_pixels(region, jpeg(grey), picture)
    assert "dB" in wrong_pixels(region, jpeg(darker), picture)
    assert "is 100 x 200" in wrong_pixels(region, jpeg(shown[:, :100]), picture)
