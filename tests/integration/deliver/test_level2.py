"""What level 2 adds, through nginx: formats, upscaling, dates, rights, limits."""

import io

import pytest
from PIL import Image

from tests.integration.deliver.asking import ask
from tests.integration.deliver.deliver_rig import Rig, StartRig
from tests.unit.deliver.render.restored_jpeg import restore_jpeg

IMAGE = "/iiif/3/plain/full/!100,100/0/default.jpg"
TILE = "/iiif/3/plain/0,0,256,256/256,256/0/default.jpg"
PUBLISHED = "Thu, 01 Jan 2026 00:00:00 GMT"
RIGHTS = "http://rightsstatements.org/vocab/InC/1.0/"


@pytest.mark.parametrize("quality", ["default", "color", "gray", "bitonal"])
@pytest.mark.parametrize(
    ("format_", "type_", "name"),
    [
        ("jpg", "image/jpeg", "JPEG"),
        ("png", "image/png", "PNG"),
        ("webp", "image/webp", "WEBP"),
        ("gif", "image/gif", "GIF"),
        ("tif", "image/tiff", "TIFF"),
        ("avif", "image/avif", "AVIF"),
    ],
)
def test_every_format_is_what_it_is_called(
    rig: Rig, format_: str, type_: str, name: str, quality: str
) -> None:
    response = ask(rig, f"/iiif/3/odd/full/,75/90/{quality}.{format_}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == type_
    with Image.open(io.BytesIO(response.content)) as image:
        assert (image.format, image.size) == (name, (75, 99))


@pytest.mark.parametrize(
    "path",
    [
        "3/plain/512,512,256,256/256,256/0/gray",
        "3/odd/full/,75/90/gray",
        "2/odd/full/,75/0/bitonal",
        "3/plain/full/!400,400/0/default",
    ],
)
def test_a_jpeg_xl_holds_the_jpeg_of_the_same_address_bit_for_bit(rig: Rig, path: str) -> None:
    packed, jpeg = (ask(rig, f"/iiif/{path}.{format_}") for format_ in ("jxl", "jpg"))
    assert packed.status_code == 200, packed.text
    assert packed.headers["content-type"] == "image/jxl"
    assert restore_jpeg(packed.content) == jpeg.content


@pytest.mark.parametrize("format_", ["avif", "jxl"])
def test_what_is_too_large_for_a_new_format_says_so(rig: Rig, format_: str) -> None:
    response = ask(rig, f"/iiif/3/plain/full/^4000,3001/0/default.{format_}")
    assert response.status_code == 400
    assert f"{format_} is made of at most 12,000,000 pixels" in response.text


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("3/odd/0,0,7,5/^!20,20/0", (20, 14)),
        ("3/odd/0,0,7,5/^pct:300/90", (15, 21)),
        ("3/odd/0,0,1,1/^9,3/0", (9, 3)),
        ("2/odd/0,0,7,5/20,/0", (20, 14)),
        ("2/odd/full/1200,/0", (1200, 905)),
        ("3/odd/full/^max/0", (5000, 3773)),
    ],
)
def test_a_region_can_be_shown_larger_than_it_is(
    rig: Rig, path: str, size: tuple[int, int]
) -> None:
    first, second = (ask(rig, f"/iiif/{path}/default.jpg") for _ in range(2))
    assert first.status_code == 200, first.text
    assert first.content == second.content
    with Image.open(io.BytesIO(first.content)) as image:
        assert image.size == size


@pytest.mark.parametrize("path", [IMAGE, TILE])
def test_a_date_can_make_an_answer_known(rig: Rig, path: str) -> None:
    fresh = ask(rig, path)
    assert fresh.headers["last-modified"] == PUBLISHED
    known = ask(rig, path, If_Modified_Since=PUBLISHED)
    assert (known.status_code, known.content) == (304, b"")
    assert known.headers["etag"] == fresh.headers["etag"]
    earlier = "Wed, 31 Dec 2025 23:59:59 GMT"
    assert ask(rig, path, If_Modified_Since=earlier).status_code == 200
    assert ask(rig, path, If_Modified_Since=PUBLISHED, If_None_Match='"x"').status_code == 200


def test_information_tells_rights_where_they_are_set(rig: Rig, start_rig: StartRig) -> None:
    assert "rights" not in ask(rig, "/iiif/3/plain/info.json").json()
    own = start_rig(VITRINE_RIGHTS_URI=RIGHTS)
    assert ask(own, "/iiif/3/plain/info.json").json()["rights"] == RIGHTS
    assert ask(own, "/iiif/2/plain/info.json").json()["license"] == RIGHTS
