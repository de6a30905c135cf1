"""What the image task answers, through nginx, from real iipsrv: pixels compared with the master."""

import io
import math
import random

import aiohttp
import numpy as np
import pytest
import requests

from tests.integration.deliver.deliver_pictures import PICTURES, Pixels, coordinates_picture, decode
from tests.integration.deliver.deliver_rig import Rig

# JPEG twice over: mean error per channel, of 255.
TOLERANCE = 4.0


def fetch(rig: Rig, path: str) -> requests.Response:
    return requests.get(f"{rig.url}{path}", timeout=30, allow_redirects=False)


def pixels(rig: Rig, path: str) -> Pixels:
    response = fetch(rig, path)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "image/jpeg"
    return decode(response.content)


def expected(identifier: str, region: tuple[int, int, int, int], size: tuple[int, int]) -> Pixels:
    part = coordinates_picture(*PICTURES[identifier]).crop(*region)
    scaled = part.resize(size[0] / region[2], vscale=size[1] / region[3], kernel="linear")
    result: Pixels = scaled.numpy()
    return result


def difference(one: Pixels, other: Pixels) -> float:
    assert one.shape == other.shape
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


@pytest.mark.parametrize(
    ("region", "size", "result"),
    [
        ("full", "max", (1300, 1000)),
        ("full", "650,", (650, 500)),
        ("full", ",250", (325, 250)),
        ("full", "!200,200", (200, 154)),
        ("full", "pct:10", (130, 100)),
        ("full", "300,300", (300, 300)),
        ("0,0,256,256", "256,256", (256, 256)),
        ("256,512,512,256", "256,128", (256, 128)),
        ("777,333,111,222", "max", (111, 222)),
        ("1200,900,500,500", "max", (100, 100)),
        ("pct:50,50,25,25", "100,", (100, 77)),
        ("square", "500,", (500, 500)),
    ],
)
def test_a_region_at_a_size_shows_the_masters_pixels(
    rig: Rig, region: str, size: str, result: tuple[int, int]
) -> None:
    boxes = {
        "full": (0, 0, 1300, 1000),
        "square": (150, 0, 1000, 1000),
        "pct:50,50,25,25": (650, 500, 325, 250),
        "1200,900,500,500": (1200, 900, 100, 100),
    }
    box = boxes.get(region) or tuple(int(number) for number in region.split(","))
    got = pixels(rig, f"/iiif/3/plain/{region}/{size}/0/default.jpg")
    assert difference(got, expected("plain", box, result)) < TOLERANCE


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_an_image_is_mirrored_first_and_then_turned_clockwise(
    rig: Rig, degrees: int, mirrored: bool
) -> None:
    parameter = f"{'!' if mirrored else ''}{degrees}"
    got = pixels(rig, f"/iiif/3/plain/100,200,400,300/200,150/{parameter}/default.jpg")
    upright = expected("plain", (100, 200, 400, 300), (200, 150))
    turned = np.rot90(upright[:, ::-1] if mirrored else upright, k=-degrees // 90)
    assert difference(got, turned) < TOLERANCE


def test_qualities_are_what_they_are_called(rig: Rig) -> None:
    path = "/iiif/3/plain/0,0,512,512/256,256/0"
    colour = pixels(rig, f"{path}/color.jpg")
    grey = pixels(rig, f"{path}/gray.jpg")
    two = pixels(rig, f"{path}/bitonal.jpg")
    assert difference(colour, pixels(rig, f"{path}/default.jpg")) == 0
    assert grey.shape == (256, 256)
    assert float(((two > 30) & (two < 225)).mean()) < 0.02


@pytest.mark.parametrize("identifier", ["plain", "odd", "tall"])
async def test_every_tile_a_viewer_computes_is_delivered(rig: Rig, identifier: str) -> None:
    """Sizes are rounded up, as viewers do, though the stored levels were rounded down."""

    width, height = PICTURES[identifier]
    async with aiohttp.ClientSession(rig.url) as client:
        for path, size in viewer_tiles(identifier, width, height):
            async with client.get(path) as response:
                body = await response.read()
                assert response.status == 200, (path, body)
                shown = decode(body)
                assert (shown.shape[1], shown.shape[0]) == size, path
    assert "respawn" not in rig.log("iipsrv")


def viewer_tiles(identifier: str, width: int, height: int) -> list[tuple[str, tuple[int, int]]]:
    found = []
    for scale in (1, 2, 4, 8, 16):
        span = 256 * scale
        for x in range(0, width, span):
            for y in range(0, height, span):
                w, h = min(span, width - x), min(span, height - y)
                size = math.ceil(w / scale), math.ceil(h / scale)
                found.append(
                    (
                        f"/iiif/3/{identifier}/{x},{y},{w},{h}/{size[0]},{size[1]}/0/default.jpg",
                        size,
                    )
                )
    return found


async def test_no_request_inside_the_image_kills_iipsrv(rig: Rig) -> None:
    """Thin regions at the right and bottom edges are what Debian's 1.1 dies on."""

    dice = random.Random(7)
    async with aiohttp.ClientSession(rig.url) as client:
        for _ in range(400):
            identifier = dice.choice(["odd", "tall"])
            width, height = PICTURES[identifier]
            x, w = edge_span(dice, width)
            y, h = edge_span(dice, height)
            size = dice.randint(1, w), dice.randint(1, h)
            path = f"/iiif/3/{identifier}/{x},{y},{w},{h}/{size[0]},{size[1]}/0/default.jpg"
            async with client.get(path) as response:
                body = await response.read()
                assert response.status == 200, (path, body)
                assert decode(body).shape[:2] == (size[1], size[0]), path
    assert "respawn" not in rig.log("iipsrv")


def edge_span(dice: random.Random, length: int) -> tuple[int, int]:
    span = dice.choice([1, 2, 3, 5, dice.randint(1, 64), dice.randint(1, length)])
    return dice.choice([0, length - span, dice.randint(0, length - span)]), span


def test_version_2_sizes_work_under_version_2(rig: Rig) -> None:
    assert pixels(rig, "/iiif/2/odd/full/full/0/default.jpg").shape[:2] == (787, 1043)
    assert pixels(rig, "/iiif/2/odd/full/100,/0/default.jpg").shape[:2] == (75, 100)


def test_an_identifier_with_slash_percent_and_accent_is_found(rig: Rig) -> None:
    path = "/iiif/3/a%2Fb%252Fc%20%C3%A9/full/max/0/default.jpg"
    assert pixels(rig, path).shape[:2] == (200, 300)
    assert fetch(rig, path.replace("%252F", "%2F")).status_code == 404


def test_a_delivered_image_is_a_plain_srgb_jpeg(rig: Rig) -> None:
    body = fetch(rig, "/iiif/3/plain/full/!128,128/0/default.jpg").content
    assert io.BytesIO(body).read(3) == b"\xff\xd8\xff"
    assert decode(body).shape == (98, 128, 3)
