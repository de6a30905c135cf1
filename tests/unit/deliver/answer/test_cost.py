"""What an answer costs is known before it is made, and says which lane it is in."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.cost import (
    OPENING_BYTES,
    Cost,
    GivesWay,
    Lane,
    is_listed,
    price_derivative,
)
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3
from vitrine.records import Live

LIMITS = Limits(area=25_000_000)
IMAGE = live("big", 20_000, 15_000, access_master_bytes=120_000_000)


def resolved(path: str, image: Live = IMAGE) -> ResolvedRequest:
    request = parse_image_request(tuple(path.split("/")), V3)
    return resolve(request, image.width, image.height, LIMITS, image)


def price(path: str, missing: int | None = 0, image: Live = IMAGE) -> Cost:
    return price_derivative(image, resolved(path, image), missing)


@pytest.mark.parametrize(
    ("path", "missing", "lane", "gives_way"),
    [
        ("full/!200,200/0/default.jpg", 0, Lane.CHEAP, GivesWay.NEVER),
        ("full/!200,200/0/default.jpg", None, Lane.COLD, GivesWay.NEVER),
        ("full/!1000,1000/0/default.jpg", 0, Lane.CHEAP, GivesWay.NEVER),
        ("full/!1000,1000/0/default.jpg", 655_360, Lane.COLD, GivesWay.NEVER),
        ("full/!1000,1000/0/default.jpg", 655_361, Lane.COLD, GivesWay.FIRST),
        ("full/1250,937/0/default.jpg", 500_000, Lane.COLD, GivesWay.NEVER),
        ("full/!4000,4000/0/default.jpg", 0, Lane.LARGE, GivesWay.THIRD),
        ("full/!4000,4000/0/default.jpg", None, Lane.LARGE, GivesWay.SECOND),
        ("full/5000,3750/0/default.jpg", None, Lane.LARGE, GivesWay.NEVER),
        ("full/5000,3750/0/gray.jpg", None, Lane.LARGE, GivesWay.SECOND),
        ("full/5000,3750/90/default.jpg", 0, Lane.LARGE, GivesWay.THIRD),
        ("0,0,5000,5000/5000,5000/0/default.jpg", 0, Lane.LARGE, GivesWay.THIRD),
    ],
)
def test_an_answer_s_lane_and_turn_follow_from_its_cost(
    path: str, missing: int | None, lane: Lane, gives_way: GivesWay
) -> None:
    cost = price(path, missing)
    assert (cost.lane, cost.gives_way) == (lane, gives_way)


def test_all_sizes_that_info_json_lists_are_never_refused() -> None:
    for image in (IMAGE, live(), live("long", 30_000, 500)):
        information = ImageInformation(
            uri="",
            width=image.width,
            height=image.height,
            tile_width=256,
            tile_height=256,
            levels=image.levels,
            limits=LIMITS,
        )
        for size in information.sizes():
            path = f"full/{size['width']},{size['height']}/0/default.jpg"
            assert is_listed(image, resolved(path, image)), (image.identifier, size)
            assert price(path, None, image).gives_way is GivesWay.NEVER


def test_what_has_to_be_fetched_of_a_cold_image_is_estimated_from_its_record() -> None:
    """A thumbnail of 300 megapixels costs its head and a level; all of it costs all of it."""
    thumbnail = price("full/!200,200/0/default.jpg", None)
    assert OPENING_BYTES < thumbnail.fetched_bytes < OPENING_BYTES + 200_000
    whole = price("0,0,20000,15000/!5000,5000/0/default.jpg", None)
    level = IMAGE.access_master_bytes * 5_000 * 3_750 / sum(w * h for w, h in IMAGE.levels)
    assert whole.fetched_bytes == pytest.approx(OPENING_BYTES + level, rel=0.05)
    assert whole.reads == 2


def test_a_request_has_a_price_in_dollars() -> None:
    """A second of a core is $0.04048 an hour, a GET $0.0004 a thousand."""
    cost = Cost(Lane.LARGE, work=150_000_000, fetched_bytes=9 << 20)
    assert cost.work_seconds == pytest.approx(1.0)
    assert cost.usd == pytest.approx(0.04048 / 3600 + 3 * 0.0004 / 1000)
    assert Cost(Lane.STORED).usd == Cost(Lane.CACHED).usd == 0


@given(
    side=st.integers(1, 2_500),
    grown=st.integers(0, 2_500),
    x=st.integers(0, 11_000),
    y=st.integers(0, 6_000),
)
def test_no_smaller_region_costs_more(side: int, grown: int, x: int, y: int) -> None:
    """Of a region at its own size, cold or not."""
    smaller, larger = (f"{x},{y},{n},{n}/{n},{n}/0/default.png" for n in (side, side + grown))
    for missing in (0, None):
        less, more = price(smaller, missing), price(larger, missing)
        assert less.work <= more.work
        assert less.fetched_bytes <= more.fetched_bytes
        assert less.usd <= more.usd


def test_a_record_with_one_level_has_a_price() -> None:
    image = replace(IMAGE, levels=((20_000, 15_000),))
    assert price("full/!200,200/0/default.jpg", None, image).lane is Lane.LARGE
