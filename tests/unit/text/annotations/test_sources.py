"""A target may be the image itself, if one canvas shows it and its pixels are known."""

from typing import Any

import pytest

from tests.unit.text.annotations.annotation_bench import CANVAS, HERE, comment, read, refusal
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere
from vitrine.text.annotations.sources import Pages

IMAGE = "https://museum.example/iiif/3/a%20photo%2F1"
PICTURE = "https://other.example/photo.jpg"
ELSEWHERE = ImageElsewhere(
    address=PICTURE, width=1000, height=2000, service="https://other.example/iiif/2/photo"
)
CANVASES = {
    1: Canvas(image="a photo/1"),
    2: Canvas(elsewhere=ELSEWHERE),
    3: Canvas(image="twice"),
    4: Canvas(image="twice"),
    5: Canvas(image="of another file"),
}
PAGES = Pages("a book", dict.fromkeys(range(1, 5), CANVAS), CANVASES)
PART = "xywh=10,20,50,30"


def place(target: Any) -> tuple[int, tuple[tuple[int, int, int, int], ...]]:
    """The canvas and the rectangles that a target is read as."""
    found = read(comment(target=target), pages=PAGES)
    assert not found.refused, found.refused
    ((number, (remark,)),) = found.pages.items()
    return number, remark.boxes


@pytest.mark.parametrize(
    "address",
    [
        IMAGE,
        f"{IMAGE}/",
        f"{IMAGE}/info.json",
        "/iiif/2/a%20photo%2F1",
        "http://staging.example:8080/iiif/a%20photo%2F1/info.json",
    ],
)
def test_an_image_of_ours_is_its_canvas_with_all_its_parts(address: str) -> None:
    assert place(address) == (1, ())
    assert place(f"{address}#{PART}") == (1, ((10, 20, 50, 30),))
    selector = {"type": "FragmentSelector", "value": PART}
    image = {"id": address, "type": "Image"}
    assert place({"source": image, "selector": selector}) == (1, ((10, 20, 50, 30),))
    point = {"type": "PointSelector", "x": 3, "y": 4}
    assert place({"source": address, "selector": point}) == (1, ((3, 4, 1, 1),))


@pytest.mark.parametrize("address", [ELSEWHERE.service, f"{ELSEWHERE.service}/info.json"])
def test_an_image_elsewhere_is_its_canvas_by_its_service(address: str) -> None:
    assert place(f"{address}#{PART}") == (2, ((10, 20, 50, 30),))


@pytest.mark.parametrize(
    ("address", "number"),
    [
        (f"{IMAGE}/full/max/0/default.jpg", 1),
        (f"{IMAGE}/full/600,/0/default.jpg", 1),
        (PICTURE, 2),
    ],
)
def test_of_a_picture_parts_are_in_percent(address: str, number: int) -> None:
    assert place(address) == (number, ())
    percent = "xywh=percent:1,1,5,1.5"
    assert place(f"{address}#{percent}") == (number, ((10, 20, 50, 30),))
    selector = {"type": "FragmentSelector", "value": percent}
    assert place({"source": address, "selector": selector}) == (number, ((10, 20, 50, 30),))
    for target in (
        f"{address}#{PART}",
        {"source": address, "selector": {"type": "FragmentSelector", "value": PART}},
        {"source": address, "selector": {"type": "PointSelector", "x": 3, "y": 4}},
        {"source": address, "selector": {"type": "SvgSelector", "value": "<svg/>"}},
        {"source": address, "selector": 7},
    ):
        assert refusal(comment(target=target), PAGES) == (
            "picture",
            "its target is a picture, whose pixels need not be those of the page: "
            "give xywh=percent:, or name the canvas",
        )


@pytest.mark.parametrize(
    ("address", "code", "reason"),
    [
        (f"{IMAGE}/0,0,9,9/max/0/default.jpg", "picture", "is a part of an image, or a turned one"),
        (f"{IMAGE}/full/max/90/default.jpg", "picture", "is a part of an image, or a turned one"),
        ("/iiif/3/twice", "canvas", "is an image of several canvases: 3, 4"),
        ("/iiif/3/of%20another%20file", "canvas", "neither a canvas that the file is for nor"),
        ("/iiif/3/unknown", "canvas", "neither a canvas that the file is for nor"),
        ("/iiif/3/", "canvas", "neither a canvas that the file is for nor"),
        ("/iiif/3/a/b/c", "canvas", "neither a canvas that the file is for nor"),
        ("/iiif/3/%ff", "canvas", "neither a canvas that the file is for nor"),
        ("/iiif/3/" + "x" * 100_000, "canvas", "neither a canvas that the file is for nor"),
        ("https://other.example/photo.jpg/", "canvas", "neither a canvas that the file is for"),
    ],
)
def test_what_is_not_the_image_of_one_canvas_is_refused_with_the_reason(
    address: str, code: str, reason: str
) -> None:
    found_code, sentence = refusal(comment(target=address), PAGES)
    assert found_code == code
    assert reason in sentence
    assert len(sentence) < 500


def test_targets_by_the_image_and_by_its_canvas_are_on_one_page() -> None:
    assert place([f"{IMAGE}#{PART}", HERE]) == (1, ((10, 20, 50, 30),))
