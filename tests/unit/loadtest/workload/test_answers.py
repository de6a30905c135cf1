"""Answers that are not what was requested are distinguished from those that are."""

import io
import json

import pytest
from PIL import Image as Picture

from loadtest.workload.answers import find_fault, jpeg_size
from loadtest.workload.catalogue import Image
from loadtest.workload.target import PAGE, Target, information_target, whole_target
from loadtest.workload.tiles import GridTile, tile_target

IMAGE = Image("x", 1000, 600)
TILE = tile_target(IMAGE, GridTile(0, 3, 2))
PNG = Target("picture", "/iiif/3/x/full/9,9/0/default.png", IMAGE, (0, 0, 9, 9), 9, 9)


def encoded(width: int, height: int, kind: str = "JPEG", **options: object) -> bytes:
    file = io.BytesIO()
    Picture.new("RGB", (width, height), "teal").save(file, kind, **options)
    return file.getvalue()


def fault(
    target: Target, body: bytes, media_type: str = "image/jpeg", status: int = 200, **more: str
) -> str:
    return find_fault(target, status, {"content-type": media_type, **more}, body)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"exif": b"Exif\0\0" + b"x" * 900}])
def test_what_was_asked_for_is_no_fault(options: dict[str, object]) -> None:
    body = encoded(TILE.width, TILE.height, **options)
    assert jpeg_size(body) == (232, 88)
    assert fault(TILE, body, **{"content-length": str(len(body))}) == ""


def test_information_and_pngs_are_no_fault_either() -> None:
    document = json.dumps({"width": 1000, "height": 600}).encode()
    assert fault(information_target(IMAGE), document, "application/ld+json;profile=x") == ""
    assert fault(PNG, encoded(9, 9, "PNG"), "image/png") == ""


@pytest.mark.parametrize(
    ("status", "body"), [(404, b"there is none"), (503, b""), (301, b""), (206, encoded(232, 88))]
)
def test_another_status_is_a_fault(status: int, body: bytes) -> None:
    assert str(status) in fault(TILE, body, status=status)


def test_a_page_that_leads_to_another_and_data_that_are_no_image_information_are_right() -> None:
    page = Target(PAGE, "/objects/x")
    assert fault(page, b"<p>Found.", "text/html", 302) == ""
    assert "404" in fault(page, b"", "text/html", 404)
    assert fault(Target("asset", "/viewer/words/en.json"), b"{}", "application/json") == ""


@pytest.mark.parametrize("media_type", ["text/html; charset=utf-8", "", "image/png"])
def test_another_content_type_is_a_fault(media_type: str) -> None:
    assert "content type" in fault(TILE, encoded(232, 88), media_type)
    assert "not JSON" in fault(information_target(IMAGE), b"{}", media_type)


@pytest.mark.parametrize("size", [(231, 88), (232, 89), (256, 256)])
def test_other_dimensions_are_a_fault(size: tuple[int, int]) -> None:
    assert fault(TILE, encoded(*size)) == f"is {size[0]} x {size[1]}, not 232 x 88 pixels"


def test_a_size_that_servers_may_round_otherwise_has_a_pixel_of_leeway() -> None:
    target = whole_target(Image("x", 1001, 999), 128)
    assert fault(target, encoded(128, 127)) == ""
    assert "pixels" in fault(target, encoded(128, 125))


def test_a_png_of_other_dimensions_is_a_fault() -> None:
    assert "pixels" in fault(PNG, encoded(9, 8, "PNG"), "image/png")


def test_a_body_shorter_than_its_length_is_a_fault() -> None:
    body = encoded(232, 88)
    assert "truncated" in fault(TILE, body, **{"content-length": str(len(body) + 1)})


@pytest.mark.parametrize("keep", [0, 1, 30, -2, -40])
def test_a_jpeg_without_its_end_is_a_fault(keep: int) -> None:
    assert "truncated" in fault(TILE, encoded(232, 88)[:keep])


@pytest.mark.parametrize("keep", [0, 12, -1])
def test_a_png_without_its_end_is_a_fault(keep: int) -> None:
    assert "truncated" in fault(PNG, encoded(9, 9, "PNG")[:keep], "image/png")


@pytest.mark.parametrize("middle", [b"", b"\0\0\0\rIHDR", b"\0" * 40])
def test_a_png_without_its_header_is_a_fault(middle: bytes) -> None:
    body = b"\x89PNG\r\n\x1a\n" + middle + b"IEND\xaeB`\x82"
    assert fault(PNG, body, "image/png") == "truncated: the PNG has no end"


def test_information_about_another_size_is_a_fault() -> None:
    document = json.dumps({"width": 999, "height": 600}).encode()
    assert "999 x 600" in fault(information_target(IMAGE), document, "application/json")


@pytest.mark.parametrize("body", [b"", b"[]", b'{"width": 3}', b"<html>"])
def test_information_without_a_size_is_a_fault(body: bytes) -> None:
    assert "without width" in fault(information_target(IMAGE), body, "application/json")


@pytest.mark.parametrize("body", [b"", b"\xff\xd8", b"\xff\xd8\xff\xd9", b"\xff\xd8\xff\xc0\0"])
def test_a_jpeg_without_a_frame_has_no_size(body: bytes) -> None:
    assert jpeg_size(body) is None


def test_an_address_of_which_nothing_is_known_may_have_any_size() -> None:
    assert fault(Target("region", "/x/0,0,9,9/full/0/default.jpg"), encoded(3, 3)) == ""
