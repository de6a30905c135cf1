"""Catalogues from CSV, from image information, from our own JSON; lists from access logs."""

import json
from typing import Any

import pytest

from loadtest.errors import InvalidScenario
from loadtest.workload.access_log import recorded_paths
from loadtest.workload.catalogue import Image
from loadtest.workload.sources import (
    image_from_info,
    images_as_json,
    images_from_csv,
    images_from_json,
)
from loadtest.workload.target import native_target
from tests.unit.loadtest.workload.workload_images import ALL_CLASSES
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import VERSIONS

URL = "https://images.example.org/iiif/{}/a%2Fb/info.json"


def information(width: int, height: int, area: int = 10**9) -> ImageInformation:
    levels = [(-(-width // 2**n), -(-height // 2**n)) for n in range(4)]
    return ImageInformation(
        uri="https://images.example.org/iiif/3/a%2Fb",
        width=width,
        height=height,
        tile_width=256,
        tile_height=256,
        levels=levels,
        limits=Limits(area=area),
    )


@pytest.mark.parametrize("version", [2, 3])
def test_our_own_information_is_understood(version: int) -> None:
    document = information(1999, 1501).document(VERSIONS[str(version)])
    image = image_from_info(document, URL.format(version))
    assert (image.width, image.height, image.version) == (1999, 1501, version)
    assert image.base == f"/iiif/{version}/a%2Fb"
    assert image.levels == ((1999, 1501), (1000, 751), (500, 376), (250, 188))


@pytest.mark.parametrize("version", [2, 3])
def test_limits_bound_the_native_size(version: int) -> None:
    document = information(4000, 3000, area=3_000_000).document(VERSIONS[str(version)])
    target = native_target(image_from_info(document, URL.format(version)))
    assert (target.width, target.height) == (1732, 1299)
    assert target.path.endswith("/full/max/0/default.jpg")


@pytest.mark.parametrize("shape", [(6000, 4000), (4000, 6000)])
def test_each_side_has_a_limit_of_its_own(shape: tuple[int, int]) -> None:
    document = information(*shape, area=25_000_000).document(VERSIONS["3"])
    target = native_target(image_from_info(document, URL.format(3)))
    assert (target.width, target.height) == shape


def test_levels_that_a_server_rounds_down_are_taken_as_it_says() -> None:
    document: dict[str, Any] = {
        "@id": "http://x/iiif/2/a",
        "width": 1043,
        "height": 787,
        "tiles": [{"width": 256, "scaleFactors": [1, 2, 4]}],
        "sizes": [{"width": 260, "height": 196}, {"width": 521, "height": 393}],
    }
    assert image_from_info(document, "/i/info.json").levels == ((1043, 787), (521, 393), (260, 196))


def test_sizes_that_are_no_levels_are_left() -> None:
    document = information(1000, 1000).document(VERSIONS["3"]) | {
        "sizes": [{"width": 90, "height": 90}, {"width": 400, "height": 400}]
    }
    image = image_from_info(document, URL.format(3))
    assert image.levels == ((1000, 1000), (500, 500), (250, 250), (125, 125))


def test_information_without_tiles_gets_ours() -> None:
    image = image_from_info({"id": "x", "width": 600, "height": 300}, "/iiif/3/x/info.json")
    assert image.levels == ((600, 300), (300, 150), (150, 75))


@pytest.mark.parametrize(
    "document", [None, [], {}, {"width": 3}, {"width": "a", "height": 1}, {"width": 3, "height": 0}]
)
def test_what_is_no_information_is_said_with_its_address(document: Any) -> None:
    with pytest.raises(InvalidScenario, match=r"h/x/info\.json is no image"):
        image_from_info(document, "http://h/x/info.json")


def test_a_csv_is_read_with_weights_or_without() -> None:
    text = "\ufeffidentifier,width,height,weight,title\na/b,10,20,3,A\nc,1,2,,B\n"
    first, second = images_from_csv(text, "/iiif/2/", 2)
    assert (first.base, first.width, first.height, first.weight) == ("/iiif/2/a%2Fb", 10, 20, 3.0)
    assert (second.weight, second.version) == (1.0, 2)


def test_a_csv_without_the_columns_is_refused_with_their_names() -> None:
    with pytest.raises(InvalidScenario, match=r"identifier, width and height .* not id, width"):
        images_from_csv("id,width,height\na,1,2\n")


def test_json_loses_nothing() -> None:
    images = [
        *ALL_CLASSES.images,
        Image("z", 9, 9, 2.5, "/fcgi?IIIF=z", 2, 128, 64, largest=(5, 5)),
    ]
    assert images_from_json(images_as_json(images)) == images


def line(**changes: object) -> str:
    entry = {"method": "GET", "uri": "/iiif/3/a/info.json", "status": 200} | changes
    return json.dumps(entry)


def test_a_list_is_recorded_from_our_access_log() -> None:
    log = [
        line(),
        line(uri="/iiif/3/b/full/max/0/default.jpg?x=1"),
        line(uri="/iiif/3/c/info.json", status=304),
        line(status=404),
        line(status=301),
        line(method="HEAD"),
        line(uri="/healthz"),
        "2026/11/21 nginx: [notice] started",
        "{ not json",
        "[1, 2]",
    ]
    assert list(recorded_paths(log)) == [
        "/iiif/3/a/info.json",
        "/iiif/3/b/full/max/0/default.jpg",
        "/iiif/3/c/info.json",
    ]
