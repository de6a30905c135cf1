"""What sealing old access masters costs."""

import pytest

from vitrine.costs.prices import price
from vitrine.costs.sealing import SealingWork, charges, known_region, transfers

WORK = SealingWork(
    looked_at=120_000, unsealed=100_000, unsealed_bytes=1_000_000_000_000, listings=120
)


def test_a_hundred_thousand_of_ten_megabytes_cost_dollars_and_not_hundreds() -> None:
    usd = {charge.price: charge.usd("us-east-1") for charge in charges(WORK)}
    # 120,000 looks, 2 HEADs and two reads in up to two parts each: 120 + 200 + 319 thousand GETs.
    assert usd["S3, thousand GET"] == pytest.approx(0.0004 * 639, rel=0.01)
    # Listings, four of its own and up to two parts for each.
    assert usd["S3, thousand PUT"] == pytest.approx(0.005 * 560, rel=0.01)
    # A terabyte twice, for two weeks.
    assert usd["S3 Standard, GB-month"] == pytest.approx(1000 * 0.023 * 14 / 30.4)
    assert sum(usd.values()) < 15


def test_what_leaves_the_region_is_charged_by_the_byte() -> None:
    elsewhere, outside = transfers(WORK)
    assert elsewhere.quantity == outside.quantity == 2_000
    assert elsewhere.usd("eu-west-1") == 2_000 * price("S3, GB to another region", "eu-west-1").usd
    assert outside.usd("eu-west-1") > elsewhere.usd("eu-west-1")


def test_a_region_without_prices_has_those_of_another_and_says_so() -> None:
    assert known_region("eu-west-1") == "eu-west-1"
    assert known_region("af-south-1") == "us-east-1"
