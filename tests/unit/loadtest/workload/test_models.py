"""Every model asks for what it promises, and for nothing else."""

from collections import Counter
from itertools import islice

import pytest

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.mix import Mix, MixPart
from loadtest.workload.models import Options
from loadtest.workload.models.cache_percent import CachePercent
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.url_list import UrlList
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import UserRequest, Workload
from tests.unit.loadtest.workload.workload_images import ALL_CLASSES, MANY, MEDIUM, SMALL
from vitrine.iiif.address import parse_address
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import VERSIONS

pytestmark = pytest.mark.slow

NO_LIMITS = Limits(area=10**12, side=10**9)


def some(options: Options, count: int, catalogue: Catalogue = ALL_CLASSES) -> list[UserRequest]:
    workload = Workload(options.bind(catalogue, 7), 7, options.ends)
    return list(islice(workload.requests(0), count))


def parts(request: UserRequest) -> tuple[str, ...]:
    address = parse_address(request.path)
    assert address
    return address.parameters


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "options", [ReportMatrix(), ReportMatrix(weights="text"), ViewerSession(), IndexPage()]
)
def test_every_address_means_the_pixels_it_is_said_to(options: Options, version: int) -> None:
    images = [Image(f"i{n}", 2000 + 631 * n, 1700 + 977 * n, version=version) for n in range(12)]
    known = {image.identifier: image for image in images}
    sent = [r for r in some(options, 2_000, Catalogue.of(images)) if r.kind != "info"]
    for target in {request.target for request in sent}:
        address = parse_address(target.path)
        assert address
        image = known[address.identifier]
        parsed = parse_image_request(address.parameters, VERSIONS[str(version)])
        resolved = resolve(parsed, image.width, image.height, NO_LIMITS)
        region = resolved.region
        assert (region.x, region.y, region.width, region.height) == target.region
        leeway = 0 if target.exact else 1
        assert abs(resolved.width - target.width) <= leeway
        assert abs(resolved.height - target.height) <= leeway
        assert not resolved.is_upscaled


def test_the_matrix_is_weighed_as_the_tables_of_the_report() -> None:
    counts = Counter(request.kind for request in some(ReportMatrix(), 30_000))
    assert len(counts) == 12
    sizes = Counter(request.kind.split()[1] for request in some(ReportMatrix(), 30_000))
    shares = {size: count / 30_000 * 50 for size, count in sizes.items()}
    assert shares == pytest.approx({"tile": 20, "128": 20, "1024": 8, "4096": 2}, rel=0.06)
    # Locust's row of 10 connections: 15,591 tiles, 15,382 of 128, 6,367 of 1024, 1,543 of 4096.
    assert sizes["1024"] / sizes["128"] == pytest.approx(6_367 / 15_382, rel=0.06)


def test_the_matrix_is_weighed_as_the_text_of_the_report() -> None:
    sizes = Counter(r.kind.split()[1] for r in some(ReportMatrix(weights="text"), 30_000))
    shares = {size: count / 30_000 * 61 for size, count in sizes.items()}
    assert shares == pytest.approx({"128": 50, "3000": 10, "native": 1}, rel=0.1)


def test_each_class_of_sources_is_asked_for_as_often() -> None:
    classes = Counter(request.kind.split()[0] for request in some(ReportMatrix(), 30_000))
    assert [classes[name] / 10_000 for name in ("0-10", "10-75", "75-")] == pytest.approx(
        [1, 1, 1], rel=0.03
    )


def test_users_of_the_matrix_think_10_to_100_ms() -> None:
    thinks = [request.think_seconds for request in some(ReportMatrix(), 10_000)]
    assert 0.01 <= min(thinks) < 0.011
    assert 0.099 < max(thinks) <= 0.1
    assert sum(thinks) / len(thinks) == pytest.approx(0.055, rel=0.02)


def test_a_class_without_images_is_named_with_what_to_write() -> None:
    options = ReportMatrix(classes=("75-",))
    with pytest.raises(InvalidScenario, match=r"no image of 75- .* classes = \['10-75'\]"):
        options.bind(Catalogue.of([MEDIUM]), 1)


def test_without_classes_there_are_those_of_the_catalogue() -> None:
    kinds = {r.kind.split()[0] for r in some(ReportMatrix(), 500, Catalogue.of([SMALL]))}
    assert kinds == {"0-10"}


def test_no_derivative_is_larger_than_its_source() -> None:
    [target] = {r.target for r in some(ReportMatrix(), 2_000) if r.kind == "0-10 4096"}
    assert (target.width, target.height) == (SMALL.width, SMALL.height)


def test_native_is_as_large_as_the_server_allows() -> None:
    bounded = Image("x", 8000, 6000, version=2, largest=(4000, 3000))
    [target] = {
        r.target
        for r in some(ReportMatrix(weights="text"), 1_000, Catalogue.of([bounded]))
        if r.kind.endswith("native")
    }
    assert (target.path, target.width, target.height) == (
        "/iiif/2/x/full/max/0/default.jpg",
        4000,
        3000,
    )


LIST = UrlList(addresses=("a/info.json", "", "# said", "b/full/max/0/default.jpg", "a/info.json"))


def test_a_list_is_asked_for_once_in_its_order() -> None:
    options = UrlList(addresses=LIST.addresses, prefix="/iiif/3/")
    assert [(request.kind, request.path) for request in some(options, 99)] == [
        ("info", "/iiif/3/a/info.json"),
        ("whole", "/iiif/3/b/full/max/0/default.jpg"),
        ("info", "/iiif/3/a/info.json"),
    ]


def test_users_share_a_list_without_gap_or_overlap() -> None:
    options = UrlList(addresses=tuple(f"/{n}/info.json" for n in range(100)))
    workload = Workload(options.bind(None, 1), 1, ends=True)
    shares = [[r.path for r in workload.requests(user, 7)] for user in range(7)]
    assert sorted(path for share in shares for path in share) == sorted(options.addresses)


@pytest.mark.parametrize("address", ["a/info.json", "/a b/info.json"])
def test_what_is_no_address_is_refused_with_its_text(address: str) -> None:
    with pytest.raises(InvalidScenario, match="a"):
        UrlList(addresses=(address,)).bind(None, 1)


@pytest.mark.parametrize("percent", [0, 1, 50, 80, 90, 99, 100])
def test_the_share_from_the_cache_is_exact(percent: int) -> None:
    requests = some(CachePercent(requests=1_000, cache_percent=percent), 2_000)
    assert len(requests) == 1_000
    cached = [request for request in requests if request.kind.startswith("cached ")]
    assert len(cached) == 10 * percent


def test_what_is_cached_was_warmed_and_what_is_new_was_never_asked_for() -> None:
    model = CachePercent(requests=5_000, cache_percent=60).bind(MANY, 1)
    warm = {target.path for target in model.warm}  # type: ignore[attr-defined]
    requests = model.requests  # type: ignore[attr-defined]
    new = [target.path for target in requests if target.kind.startswith("new ")]
    assert {target.path for target in requests} - set(new) <= warm
    assert len(set(new)) == len(new)
    assert not warm & set(new)


def test_all_that_was_warmed_is_asked_for_as_often() -> None:
    model = CachePercent(requests=800, cache_percent=100).bind(MANY, 1)
    counts = Counter(target.path for target in model.requests)  # type: ignore[attr-defined]
    assert set(counts) == {target.path for target in model.warm}  # type: ignore[attr-defined]
    assert set(counts.values()) == {10}


def test_warming_and_run_can_be_had_alone() -> None:
    only = CachePercent(only_warm=True).bind(ALL_CLASSES, 1)
    skipped = CachePercent(skip_warm=True).bind(ALL_CLASSES, 1)
    assert only.warm  # type: ignore[attr-defined]
    assert not only.requests  # type: ignore[attr-defined]
    assert not skipped.warm  # type: ignore[attr-defined]
    with pytest.raises(InvalidScenario, match="nothing"):
        CachePercent(only_warm=True, skip_warm=True)


def test_too_small_an_image_for_so_much_that_is_new_is_said() -> None:
    with pytest.raises(InvalidScenario, match="too small"):
        CachePercent(cache_percent=0).bind(Catalogue.of([Image("dot", 8, 8)]), 1)


def test_no_two_thumbnails_of_index_pages_are_of_one_image() -> None:
    workload = Workload(IndexPage(thumbnails=50).bind(MANY, 1), 1)
    pages = [list(islice(workload.requests(user, 3), 50)) for user in range(3)]
    assert len({request.path for page in pages for request in page}) == 150
    assert all(len({request.step for request in page}) == 1 for page in pages)
    assert all(r.path.endswith("/full/!128,128/0/default.jpg") for page in pages for r in page)


def sessions(options: ViewerSession, count: int) -> list[list[UserRequest]]:
    workload = Workload(options.bind(ALL_CLASSES, 5), 5)
    return [list(workload.visit(number)) for number in range(count)]


def test_a_session_begins_with_information_and_overview() -> None:
    for session in sessions(ViewerSession(), 50):
        assert session[0].kind == "info"
        image = session[0].target.image
        assert image
        assert parts(session[1])[0] == "full"
        assert all(request.target.image is image for request in session)


def test_a_viewer_asks_for_no_tile_twice() -> None:
    for session in sessions(ViewerSession(), 200):
        paths = [request.path for request in session]
        assert len(set(paths)) == len(paths)


def test_sessions_are_as_long_as_the_weight_of_leaving_says() -> None:
    # Views follow a geometric distribution of mean 100 / 10 = 10; each is looked at for 3 s.
    seconds = [sum(r.think_seconds for r in session) for session in sessions(ViewerSession(), 600)]
    assert sum(seconds) / len(seconds) == pytest.approx(30, rel=0.1)


def test_a_sharper_screen_gets_more_tiles() -> None:
    plain, sharp = (
        sum(len(session) for session in sessions(ViewerSession(device_pixel_ratio=ratio), 50))
        for ratio in (1.0, 2.0)
    )
    assert sharp > 1.5 * plain


def test_visits_of_a_mix_are_as_many_as_they_weigh() -> None:
    index = MixPart(3, IndexPage(thumbnails=1, think_seconds=(0, 0)))
    mix = Mix([index, MixPart(1, ReportMatrix(weights="text"))])
    workload = Workload(mix.bind(ALL_CLASSES, 1), 1)
    pages = sum(" " not in request.kind for request in islice(workload.requests(0), 8_000))
    assert pages / 8_000 == pytest.approx(0.75, abs=0.02)


@pytest.mark.parametrize("options", [CachePercent(), UrlList(addresses=("/a",))])
def test_what_ends_is_no_part_of_a_mix(options: Options) -> None:
    with pytest.raises(InvalidScenario, match="must not end"):
        Mix([MixPart(1, options), MixPart(1, ViewerSession())])
