"""A month's bill is quantities times the prices of one table."""

from dataclasses import replace

import pytest

from capacity.model.design import Design
from capacity.plan.bill import bill, by_service, extra_disk, together
from capacity.plan.collection_size import CollectionSize
from capacity.plan.design_search import design_of
from capacity.plan.monthly_usage import tasks_needed
from capacity.plan.plan_limits import idle_usage
from capacity.plan.question import Question
from vitrine.costs.ingest_work import Charge
from vitrine.costs.prices import price, regions, table

NOTHING_KEPT = CollectionSize(0, 0, 0, 0, [], 0)
DESIGN = design_of(2, 15, minimum=2, maximum=4)
IDLE = idle_usage(2)


def usd(
    service: str, design: Design = DESIGN, collection: CollectionSize = NOTHING_KEPT, **used: float
):
    lines = bill(design, replace(IDLE, **used), collection, "us-east-1")
    return by_service(lines).get(service, 0.0)


def test_every_price_has_a_source_and_stands_there_once():
    lines = table()
    assert len({(line.item, line.region) for line in lines}) == len(lines)
    assert all(line.source and line.usd > 0 for line in lines)


def test_every_item_is_priced_in_every_region():
    for line in table():
        for region in regions():
            assert price(line.item, region).usd > 0


def test_a_region_or_an_item_without_a_price_is_an_error():
    with pytest.raises(KeyError, match="mars-1"):
        price("Web ACL, month", "mars-1")
    with pytest.raises(KeyError, match="Gold"):
        price("Gold, ounce", "us-east-1")


def test_two_idle_tasks_by_hand():
    assert usd("Fargate") == pytest.approx(2 * 730 * (2 * 0.04048 + 8 * 0.004445))
    assert usd("CloudFront") == 0


def test_spot_is_cheaper_and_disk_beyond_the_free_one_is_dearer():
    assert usd("Fargate", on_demand_hours=0, spot_hours=1460) < usd("Fargate") / 3
    larger = replace(DESIGN, cache_gibibytes=95)
    assert extra_disk(larger) == 80
    more = usd("Fargate", larger) - usd("Fargate")
    assert more == pytest.approx(2 * 730 * 80 * 0.000111)


@pytest.mark.parametrize(
    ("terabytes", "dollars"),
    [
        (1, 0),
        (2, 85),
        (12, 850 + 80),
        (52, 850 + 3_200 + 60),
        (601, 850 + 3_200 + 6_000 + 450 * 40),
    ],
)
def test_bytes_out_are_free_at_first_and_then_cheaper_by_tier(terabytes: int, dollars: float):
    assert usd("CloudFront", viewer_bytes=terabytes * 1e12) == pytest.approx(dollars)


def test_requests_are_charged_beyond_the_free_ones():
    # 2 million beyond 10 million at $0.01 for ten thousand; 10 million calls of the function.
    assert usd("CloudFront", requests=12e6) == pytest.approx(2.0 + 1.0)
    assert usd("Web ACL", requests=12e6) == pytest.approx(5 + 4 + 12 * 0.60)


def test_the_shield_is_charged_for_what_the_edges_ask_it():
    shielded = replace(DESIGN, origin_shield=True)
    requests = {"shield_hits": 4e4, "origin_requests": 6e4}
    assert usd("CloudFront", shielded, **requests) == pytest.approx(10 * 0.0075)
    assert usd("CloudFront", **requests) == 0


def test_ingest_is_charged_for_new_images():
    new = CollectionSize(0, 0, 0, 1_000, [Charge("SQS, million requests", 1e-3, "queues")], 1_000)
    assert usd("Ingest", collection=new) == pytest.approx(1.0 * 0.40)


def test_services_together_are_the_bill():
    lines = bill(DESIGN, replace(IDLE, requests=5e7, viewer_bytes=3e12), NOTHING_KEPT, "eu-west-1")
    assert together(lines) == pytest.approx(sum(by_service(lines).values()))
    assert [*by_service(lines).values()] == sorted(by_service(lines).values(), reverse=True)


def test_tasks_follow_the_load_between_minimum_and_maximum():
    # Each task of 2 vCPUs is to be 60 % busy.
    assert [tasks_needed(cpus, DESIGN) for cpus in (0, 2.4, 2.5, 100)] == [2, 2, 3, 4]


def test_a_question_of_no_region_we_know_names_those_we_do():
    with pytest.raises(Exception, match="eu-west-1, us-east-1"):
        Question(region="mars-1")
