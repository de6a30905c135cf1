"""Stand-ins are real access masters; request lists are read as published."""

from pathlib import Path

import numpy as np
import pytest
import pyvips

from loadtest.client.response_reader import HttpResponse
from loadtest.corpora.access_masters import open_master
from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.gateway_process import live
from loadtest.studies.delivery.scenarios.replay import check_replayed, read_targets


def test_a_stand_in_decodes_at_every_level(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    write_standin(path, 1043, 787)
    levels = open_master(path).levels
    assert levels == ((1043, 787), (522, 394), (261, 197), (131, 99))
    for page, size in enumerate(levels):
        image = pyvips.Image.new_from_file(str(path), page=page)
        assert (image.width, image.height) == size
        assert np.ptp(image.numpy()) == 0
    assert live(path).levels == levels


def test_published_lists_become_requests_of_version_2(tmp_path: Path) -> None:
    path = tmp_path / "uv_urls.txt"
    path.write_text("a.tif/info.json\na.tif/full/90,/0/default.jpg\n")
    asks = read_targets(path)
    assert [ask.kind for ask in asks] == ["info.json", "image"]
    assert asks[1].path == "/iiif/2/a.tif/full/90,/0/default.jpg"


@pytest.mark.parametrize(("width", "fault"), [(90, ""), (89, "it is 89 pixels wide")])
def test_a_replayed_image_must_have_the_width_asked_for(
    tmp_path: Path, width: int, fault: str
) -> None:
    path = tmp_path / "uv_urls.txt"
    path.write_text("a.tif/full/90,/0/default.jpg")
    body = pyvips.Image.black(width, 10, bands=3).write_to_buffer(".jpg")
    response = HttpResponse(200, {"content-type": "image/jpeg"}, body)
    assert check_replayed(read_targets(path)[0], response) == fault


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        (HttpResponse(404, {}, b"no"), "404"),
        (HttpResponse(200, {"content-type": "text/html"}, b"no"), "text/html"),
        (HttpResponse(200, {"content-type": "image/jpeg"}, b"\xff\xd8\xff\xe0half"), "has no end"),
    ],
)
def test_errors_and_halves_are_faults(tmp_path: Path, response: HttpResponse, fault: str) -> None:
    path = tmp_path / "uv_urls.txt"
    path.write_text("a.tif/full/90,/0/default.jpg")
    assert fault in check_replayed(read_targets(path)[0], response)
