"""Which derivatives nginx keeps, and under which name."""

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.derivative_cache import (
    MAXIMUM_PIXELS,
    NAME_HEADER,
    cache_life,
    derivative_name,
    is_named,
    redirect_to_cache,
)
from vitrine.deliver.http.exchange import Request, Response
from vitrine.deliver.http.headers import ImageHeaders
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3
from vitrine.records import Live
from vitrine.site.pages.pictures import FIRST_PIXELS


def name(
    image: Live, revision: str = "2", size: str = "100,77", base: str = "https://a.example"
) -> str:
    parsed = parse_image_request(("full", size, "0", "default.jpg"), V3)
    resolved = resolve(parsed, image.width, image.height, Limits(area=10**9))
    return derivative_name(ImageHeaders((), revision).of(image, resolved, base), resolved)


NAME = name(live())


def test_a_name_is_of_one_version_one_rendering_one_address_and_the_same_tags() -> None:
    others = {
        name(live(version="v2")),
        name(live(), revision="3"),
        name(live(), base="https://b.example"),
        name(live(), size="100,78"),
        name(live(collections=("shelf",))),
    }
    assert len({NAME, *others}) == 6
    assert NAME.startswith("/.derivative/")


def test_a_client_is_sent_to_the_cache_and_the_cache_is_answered() -> None:
    client = Request(method="GET", path="/")
    cache = Request(method="GET", path="/", headers={NAME_HEADER: NAME})
    for seconds, target in ((0, NAME), (18, f"{NAME}?seconds=18")):
        redirect = Response(status=200, headers=(("x-accel-redirect", target),))
        assert redirect_to_cache(client, NAME, seconds) == redirect
    assert cache_life(client, NAME) == ()
    assert redirect_to_cache(cache, NAME, 18) is None
    assert cache_life(cache, NAME) == (("x-accel-expires", "2592000"),)


def test_large_derivatives_are_kept_in_a_cache_of_larger_files() -> None:
    assert name(live(), size="1000,770").startswith("/.derivative/large/")
    assert not NAME.startswith("/.derivative/large/")


def test_what_changed_between_the_two_steps_is_not_kept_under_the_old_name() -> None:
    cache = Request(method="GET", path="/", headers={NAME_HEADER: "/.derivative/older"})
    assert redirect_to_cache(cache, NAME, 18) is None
    assert cache_life(cache, NAME) == (("x-accel-expires", "0"),)


def named(region: str, size: str, end: str = "0/default.jpg") -> bool:
    rotation, last = end.split("/")
    parsed = parse_image_request((region, size, rotation, last), V3)
    return is_named(region, resolve(parsed, 10_000, 8_000, Limits(area=10**9)))


def test_only_small_derivatives_are_kept() -> None:
    assert named("full", "!1024,1024")
    assert not named("full", "max")
    assert MAXIMUM_PIXELS >= 1024 * 1024


def test_the_first_picture_of_a_page_is_kept() -> None:
    assert FIRST_PIXELS <= MAXIMUM_PIXELS


def test_thumbnails_that_take_less_than_to_look_for_them_have_no_name() -> None:
    assert not named("full", "!200,200")
    assert named("full", "!300,300")
    # iipsrv and libvips make these.
    for end in ("90/default.jpg", "!0/default.jpg", "0/gray.jpg", "0/default.png"):
        assert named("full", "!200,200", end)


def test_details_which_are_rarely_asked_for_again_have_no_name() -> None:
    assert named("square", "400,")
    assert not named("0,0,10000,8000", "800,")
    assert not named("1,0,9999,7999", "400,")
