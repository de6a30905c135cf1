"""What an image's rule does not show, no address shows; nor more detail than it shows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.answer.gateway_bench import HOST, Bench
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.access_paths import PUBLIC
from vitrine.deliver.answer.gateway import Gateway
from vitrine.deliver.answer.image_view import ImageView
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.tiles.position import TilePosition
from vitrine.errors import AccessDenied, InvalidRequest
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3
from vitrine.records import Live

PATHS = [
    "/iiif/3/a",
    "/iiif/3/a/info.json",
    "/iiif/2/a/info.json",
    "/iiif/3/%61/info.json",
    "/iiif/3/a/full/max/0/default.jpg",
    "/iiif/2/a/full/full/0/default.jpg",
    "/iiif/3/a/0,0,256,256/256,256/0/default.jpg",
    "/iiif/3/a/full/!100,100/0/default.png",
    "/iiif/3/a/download.jpg",
    "/presentation/3/a/manifest.json",
    "/presentation/2/a/manifest.json",
]
UNLIMITED = Limits(area=10**12)


def ask(image: Live, path: str, method: str = "GET", **headers: str) -> Response:
    """The second answer to a request: by then the gateway knows the record."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(method=method, path=path, headers={**HOST, **named})

    async def respond(gateway: Gateway) -> Response:
        await gateway.respond(request)
        ready = gateway.respond_now(request)
        assert ready is None or image.access in ("", "open")
        return await gateway.respond(request)

    return Bench(image, maximum_output_pixels=100_000_000).run(respond)


def public_view(image: Live) -> ImageView:
    """What everybody may see of an image that needs no right."""
    view = PUBLIC.view(image)
    assert isinstance(view, ImageView)
    return view


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", PATHS)
def test_a_closed_image_shows_nothing_at_any_address(path: str, method: str) -> None:
    closed = live(access="closed")
    etags = {"if_none_match": "*"}, {"if_modified_since": "Wed, 01 Jan 2031 00:00:00 GMT"}
    for headers in ({}, *etags, {"range": "bytes=0-10"}):
        answer = ask(closed, path, method, **headers)
        assert answer.status == 403
        assert json.loads(answer.body)["reason"] == "this image is not public"
        assert dict(answer.headers)["cache-tag"]


def test_a_rule_that_cannot_be_read_shows_nothing() -> None:
    assert ask(live(access="Wizards"), "/iiif/3/a/info.json").status == 403


def test_an_open_image_pays_nothing_for_rules() -> None:
    plain, said = (ask(live(access=rule), PATHS[4]) for rule in ("", "open"))
    assert plain == said
    assert plain.status == 200


def test_a_small_image_is_described_as_the_size_that_is_shown() -> None:
    info = json.loads(ask(live(access="small:700"), "/iiif/3/a/info.json").body)
    assert (info["width"], info["height"]) == (650, 500)
    assert info["sizes"][-1] == {"width": 650, "height": 500}
    assert info["tiles"] == [{"width": 256, "scaleFactors": [1, 2, 4]}]
    assert "sizeUpscaling" not in info["extraFeatures"]
    assert "seeAlso" not in info
    old = json.loads(ask(live(access="small:700"), "/iiif/2/a/info.json").body)
    assert (old["width"], "sizeAboveFull" in old["profile"][1]["supports"]) == (650, False)


def test_a_small_image_is_made_of_the_levels_that_are_shown() -> None:
    image = live(access="small:700")
    tile = ask(image, "/iiif/3/a/0,0,256,256/256,256/0/default.jpg")
    assert tile.body == repr(TilePosition(1, 0, 0)).encode()
    whole = ask(image, "/iiif/3/a/full/max/0/default.jpg")
    assert whole.body == b"1:full/max/0/default.jpg"


def test_a_small_image_has_validators_of_its_own() -> None:
    path = "/iiif/3/a/full/!100,100/0/default.jpg"
    tags = {dict(ask(live(access=rule), path).headers)["etag"] for rule in ("", "small:700")}
    assert len(tags) == 2


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/iiif/3/a/full/^max/0/default.jpg", 400),
        ("/iiif/3/a/full/^1300,1000/0/default.jpg", 400),
        ("/iiif/2/a/full/1300,/0/default.jpg", 400),
        ("/iiif/3/a/0,0,10,10/^20,20/0/default.jpg", 400),
        ("/iiif/3/a/700,0,10,10/max/0/default.jpg", 400),
        ("/iiif/3/a/download.jpg", 403),
    ],
)
def test_a_small_image_is_never_larger(path: str, status: int) -> None:
    image = live(access="small:700", width=1300, height=1000)
    assert ask(image, path).status == status


def test_a_small_image_without_such_a_level_is_not_shown() -> None:
    with pytest.raises(AccessDenied):
        public_view(live(access="small:256", levels=((1300, 1000), (650, 500))))


def test_an_image_that_is_small_anyway_is_whole() -> None:
    assert public_view(live(width=400, height=300, access="small:400")).is_whole


@given(
    width=st.integers(1, 5_000),
    height=st.integers(1, 5_000),
    size=st.integers(256, 6_000),
    data=st.data(),
)
def test_nothing_of_a_small_image_is_finer_than_its_full_size(
    width: int, height: int, size: int, data: st.DataObject
) -> None:
    view = public_view(live(width=width, height=height, access=f"small:{size}"))
    shown, stored = view.image, view.stored
    assert max(shown.width, shown.height) <= max(size, 256)
    assert shown.levels == stored.levels[view.level :]
    x, y = data.draw(st.integers(0, shown.width - 1)), data.draw(st.integers(0, shown.height - 1))
    w, h = data.draw(st.integers(1, shown.width)), data.draw(st.integers(1, shown.height))
    wide, high = data.draw(st.integers(1, 3_000)), data.draw(st.integers(1, 3_000))
    parameters = (f"{x},{y},{w},{h}", f"^{wide},{high}", "0", "default.jpg")
    request = resolve(
        parse_image_request(parameters, V3), shown.width, shown.height, UNLIMITED, shown
    )
    try:
        of_stored = view.stored_request(request)
    except InvalidRequest:
        assert not view.is_whole
        assert wide > request.region.width or high > request.region.height
        return
    region = of_stored.region
    assert region.width > 0
    assert region.x + region.width <= stored.width
    assert region.height > 0
    assert region.y + region.height <= stored.height
    # A pixel of the answer covers at least what a pixel of the view does.
    if not view.is_whole:
        scale = 1 << view.level
        assert of_stored.width <= -(-region.width // scale)
        assert of_stored.height <= -(-region.height // scale)
