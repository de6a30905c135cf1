"""What is answered for which address and record."""

import pytest

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.decide import Answer, decide_answer, decide_without_record
from vitrine.deliver.answer.derivative import Derivative
from vitrine.deliver.answer.info import Info
from vitrine.deliver.answer.tile import Tile
from vitrine.deliver.answer.without_image import RedirectTo, Refusal
from vitrine.deliver.tiles import TilePosition
from vitrine.errors import STATUS, ImageGone
from vitrine.identify.resolve import MovedTo, Resolution, Serve, Unknown, WithdrawnIdentifier
from vitrine.iiif.address import parse_address
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2

LIMITS = Limits(area=10_000_000)


def answer(path: str, decision: Resolution | None = None) -> Answer:
    address = parse_address(path)
    assert address
    at_once = decide_without_record(address)
    return at_once or decide_answer(address, decision or Serve(live()), LIMITS)


@pytest.mark.parametrize(
    ("request_", "position"),
    [
        ("0,0,256,256/256,256/0/default.jpg", TilePosition(0, 0, 0)),
        ("1280,768,20,232/20,232/0/color.jpg", TilePosition(0, 5, 3)),
        ("512,0,512,512/256,256/0/default.jpg", TilePosition(1, 1, 0)),
        ("0,0,1024,1000/256,250/0/default.jpg", TilePosition(2, 0, 0)),
        ("full/162,125/0/default.jpg", TilePosition(3, 0, 0)),
        ("full/163,125/0/default.jpg", None),
        ("0,0,256,256/256,256/90/default.jpg", None),
        ("0,0,256,256/256,256/!0/default.jpg", None),
        ("0,0,256,256/256,256/0/gray.jpg", None),
        ("0,0,256,256/256,256/0/default.png", None),
        ("0,0,256,256/^512,512/0/default.jpg", None),
        ("0,0,256,256/255,255/0/default.jpg", None),
        ("1,0,256,256/256,256/0/default.jpg", None),
        ("0,0,255,256/255,256/0/default.jpg", None),
    ],
)
def test_exactly_the_stored_tiles_are_tiles(request_: str, position: TilePosition | None) -> None:
    got = answer(f"/iiif/3/a/{request_}")
    assert (got.position if isinstance(got, Tile) else None) == position
    assert isinstance(got, Tile | Derivative)


def test_a_tile_beyond_a_level_that_was_rounded_down_is_no_tile() -> None:
    """A 7300 by 4100 image at 1/16: viewers count 257 rows, libvips stored 256."""
    image = live(width=7300, height=4100)
    got = answer("/iiif/3/a/0,4096,4096,4/256,1/0/default.jpg", Serve(image))
    assert isinstance(got, Derivative)


@pytest.mark.parametrize(
    "request_",
    [
        "full/^20000,300/0/default.webp",
        "full/max/0/default.jp2",
        "full/max/45/default.jpg",
        "full/^65501,1/0/default.png",
        "full/^12001,1000/0/default.avif",
        "full/^12001,1000/0/default.jxl",
        "full/2600,/0/default.jpg",
        "9999,0,1,1/max/0/default.jpg",
        "full/max/0/default.exe",
    ],
)
def test_no_request_that_cannot_be_met_counts_as_a_failure_of_the_service(request_: str) -> None:
    got = answer(f"/iiif/3/a/{request_}")
    assert isinstance(got, Refusal)
    assert STATUS[type(got.error)] == 400


@pytest.mark.parametrize(
    "request_",
    [
        *("3/a/full/max/0/default.png", "3/a/full/max/90/gray.webp", "3/a/full/10,/0/color.tif"),
        *("3/a/full/max/!180/bitonal.gif", "3/a/full/^2600,/0/default.jpg", "3/a/full/^max/0/"),
        "2/a/full/2600,/0/default.jpg",
    ],
)
def test_level_2_and_upscaling_are_rendered(request_: str) -> None:
    path = f"/iiif/{request_}" + ("default.jpg" if request_.endswith("/") else "")
    assert isinstance(answer(path), Derivative)


def test_a_malformed_request_and_a_missing_version_need_no_record() -> None:
    for path in ("/iiif/3/a/full/full/0/default.jpg", "/iiif/a/info.json"):
        address = parse_address(path)
        assert address
        assert decide_without_record(address)


def test_an_address_without_a_version_moved_for_good() -> None:
    assert answer("/iiif/a/info.json") == RedirectTo(301, "/iiif/3/a/info.json")


def test_the_state_of_an_identifier_decides() -> None:
    info = "/iiif/2/a/info.json"
    assert answer(info) == Info(live(), V2)
    assert answer("/iiif/2/a") == RedirectTo(303, "/iiif/2/a/info.json")
    assert answer(info, MovedTo("b/c")) == RedirectTo(301, "/iiif/2/b%2Fc/info.json")
    gone, unknown = answer(info, WithdrawnIdentifier("rights", "now")), answer(info, Unknown())
    assert isinstance(gone, Refusal)
    assert isinstance(unknown, Refusal)
    assert repr(gone.error) == "ImageGone('withdrawn now: rights')"
    assert repr(unknown.error) == "UnknownImage(\"there is no image 'a'\")"


def test_a_redirect_keeps_region_size_rotation_and_quality() -> None:
    got = answer("/iiif/3/old/0,0,9,9/!9,9/!90/gray.jpg", MovedTo("a"))
    assert got == RedirectTo(301, "/iiif/3/a/0,0,9,9/!9,9/!90/gray.jpg")


def test_a_tombstone_tells_the_public_the_day_and_the_reason() -> None:
    error = ImageGone("A wish of the estate.", "2026-11-22T06:12:06.038Z")
    assert str(error) == "withdrawn 2026-11-22: A wish of the estate."


@pytest.mark.parametrize(
    ("size", "kind"), [("^!512,512", "thumbnail"), ("^!513,513", "render"), ("250,", "thumbnail")]
)
def test_what_fits_into_512_pixels_is_counted_as_a_thumbnail(size: str, kind: str) -> None:
    got = answer(f"/iiif/3/a/full/{size}/0/default.jpg")
    assert isinstance(got, Derivative)
    assert got.kind == kind
