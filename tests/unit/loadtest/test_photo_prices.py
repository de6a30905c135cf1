"""A photograph's price is its decoding and its way in, by the one table of prices."""

from pathlib import Path

import pytest

from loadtest.studies.photo_door.photo_prices import (
    IN_BODY,
    UPLOADED,
    PhotoWork,
    decoding_usd,
    way_usd,
)
from vitrine.costs.prices import price

REGION = "us-east-1"
PAGE = Path(__file__).parents[3] / "docs/howto/photo-door.md"


def test_an_hour_of_decoding_is_an_hour_of_the_machine() -> None:
    prices = decoding_usd(3_600, REGION)
    assert prices["Fargate, on demand"] == pytest.approx(0.04048 + 2 * 0.004445)
    assert prices["Fargate Spot"] < prices["Fargate, on demand"] / 2
    lambda_hour = 3_600 * 1_769 / 1_024 * price("Lambda, GB-second", REGION).usd
    assert prices["Lambda"] == pytest.approx(lambda_hour, rel=1e-5)


def test_a_body_pays_for_its_bytes_and_an_upload_for_its_requests() -> None:
    small, large = (
        way_usd(PhotoWork(cpu_seconds=0.2, bytes_in=size, bytes_out=50_000), REGION)
        for size in (1e6, 10e6)
    )
    body, upload = IN_BODY, UPLOADED
    assert large[body] - small[body] == pytest.approx(9e-3 * (0.020 + 0.008))
    assert large[upload] == small[upload]
    assert large[upload] < large[body] / 10


def test_the_page_has_the_prices_of_today() -> None:
    work = PhotoWork(cpu_seconds=0.110, bytes_in=10e6, bytes_out=50_000)
    ways = way_usd(work, REGION)
    prices = [decoding_usd(work.cpu_seconds, REGION)["Fargate, on demand"], *ways.values()]
    for usd in prices:
        assert f"| {1e6 * usd:,.2f} |" in PAGE.read_text()
