"""A month's bill is quantities times the prices of one table."""

from dataclasses import replace
from datetime import date

import pytest

from capacity.model.design import Design
from capacity.plan.bill import FREE_TIER, by_service, extra_disk, make_bill, sum_lines
from capacity.plan.collection_size import CollectionSize
from capacity.plan.design_search import design_of
from capacity.plan.monthly_usage import tasks_needed
from capacity.plan.plan_limits import idle_usage
from capacity.plan.question import Question
from capacity.plan.storage_tiers import Tiers
from vitrine.costs.ingest_work import Charge
from vitrine.costs.prices import price, regions, table

FREQUENT = Tiers(1, 0, 0)
NOTHING_KEPT = CollectionSize(0, 0, 0, 0, [], 0, FREQUENT)
DESIGN = design_of(2, 14.75, minimum=2, maximum=4)
IDLE = idle_usage(2)


def usd(
    service: str, design: Design = DESIGN, collection: CollectionSize = NOTHING_KEPT, **used: float
):
    lines = make_bill(design, replace(IDLE, **used), collection, "us-east-1")
    return by_service(lines).get(service, 0.0)


def test_every_price_has_a_source_and_is_listed_once():
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


def test_two_idle_tasks_cost_what_the_price_list_says():
    assert usd("Fargate") == pytest.approx(2 * 730 * (2 * 0.04048 + 8 * 0.004445))
    assert usd("CloudFront") == 0


def test_spot_is_cheaper_and_disk_beyond_the_free_one_costs_more():
    assert usd("Fargate", on_demand_hours=0, spot_hours=1460) < usd("Fargate") / 3
    larger = replace(DESIGN, cache_gibibytes=94.75)
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
    queued = [Charge("SQS, million requests", 1e-3, "queues")]
    new = CollectionSize(0, 0, 0, 1_000, queued, 1_000, FREQUENT)
    moved = 0.02  # a thousand masters change their storage class
    assert usd("Ingest", collection=new) == pytest.approx(1.0 * 0.40 + moved)


def test_ingesting_a_collection_pays_for_the_masters_first_day_in_standard():
    kept = CollectionSize(1e12, 4e12, 0, 0, [], 100_000, FREQUENT)
    _, standard, moved = kept.ingest_usd("us-east-1").values()
    assert standard == pytest.approx(4_000 / 30 * (0.023 - 0.004))
    assert moved == pytest.approx(100 * 0.02)


def test_new_masters_are_kept_in_standard_and_the_others_in_glacier():
    kept = CollectionSize(0, 4e12, 0, 10, [], 1_000, FREQUENT)
    quantities = {line.item: line.quantity for line in make_bill(DESIGN, IDLE, kept, "us-east-1")}
    assert quantities["S3 Standard, GB-month"] == pytest.approx(40 / 30)
    assert quantities["S3 Glacier Instant Retrieval, GB-month"] == pytest.approx(4_000 - 40 / 30)


def test_access_masters_are_billed_by_tier_and_watched_one_by_one():
    kept = CollectionSize(1e12, 0, 0, 0, [], 100_000, Tiers(0.3, 0.3, 0.4))
    tiers = 300 * 0.023 + 300 * 0.0125 + 400 * 0.004 + 100 * 0.0025
    walks = 2 * 100 * 730 / 24 / 1e3 * 0.005  # of the reconciler, which lists both buckets
    patrols = 12 * 730 / 1e3 * 0.005  # of the reconciler, a page of keys each
    dumps = 730 / 1e3 * 0.005  # which ask each hour what they lack, by a listing
    dumps += 730 / 24 / 1e3 * 0.005  # a walk lists at least one page
    visits = 14 * 730 / 24 / 1e3 * 0.005  # which list the log of some days, once a day
    assert usd("S3", collection=kept) == pytest.approx(tiers + walks + patrols + dumps + visits)


def test_patrols_read_the_outcomes_of_a_collection_that_one_page_of_keys_holds():
    def patrol_reads(images: int) -> float:
        kept = CollectionSize(0, 0, 0, 0, [], images, FREQUENT)
        walks = images * 730 / 24 * 0.125 / 1e6
        return usd("DynamoDB", collection=kept) - walks

    assert patrol_reads(1_000) == pytest.approx(12 * 730 * 1_001 * 0.125 / 1e6)
    assert patrol_reads(1_001) == pytest.approx(12 * 730 * 0.125 / 1e6)


def test_the_free_tier_is_a_line_of_its_own_and_can_be_left_out():
    used = replace(IDLE, requests=7e6, viewer_bytes=1.2e11)
    with_it = make_bill(DESIGN, used, NOTHING_KEPT, "eu-west-1")
    without = make_bill(DESIGN, used, NOTHING_KEPT, "eu-west-1", free_tier=False)
    [free] = [line for line in with_it if line.item == FREE_TIER]
    assert free.usd == pytest.approx(-(120 * 0.085 + 700 * 0.012 + 2 * 0.10))
    assert sum_lines(without) == pytest.approx(sum_lines(with_it) - free.usd)


def test_every_price_says_when_its_source_had_it():
    for line in table():
        assert line.as_of == "undated" or date.fromisoformat(line.as_of), line.item
        assert not (line.confirmed and line.as_of == "undated"), line.item


def test_services_together_are_the_bill():
    lines = make_bill(
        DESIGN, replace(IDLE, requests=5e7, viewer_bytes=3e12), NOTHING_KEPT, "eu-west-1"
    )
    assert sum_lines(lines) == pytest.approx(sum(by_service(lines).values()))
    assert [*by_service(lines).values()] == sorted(by_service(lines).values(), reverse=True)


def test_tasks_follow_the_load_between_minimum_and_maximum():
    # Each task of 2 vCPUs is to be 60 % busy.
    assert [tasks_needed(cpus, DESIGN) for cpus in (0, 2.4, 2.5, 100)] == [2, 2, 3, 4]


def test_a_question_of_no_region_we_know_names_those_we_do():
    with pytest.raises(Exception, match="eu-west-1, us-east-1"):
        Question(region="mars-1")
