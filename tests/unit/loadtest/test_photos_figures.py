"""What photographs cost, and how many there were when, is what was measured."""

import re

import pytest

from loadtest.report.charts import line
from loadtest.studies.photos.client_use import Look
from loadtest.studies.photos.photo_agents import Sent
from loadtest.studies.photos.photo_prices import LAMBDA, PLANS, costs
from loadtest.studies.photos.photo_series import CAPTIONS, WINDOWS, series
from vitrine.migrate.price import Work, estimate

WORK = Work(
    images=10,
    checked=0,
    imported=0,
    master_bytes=100_000_000,
    access_master_bytes=60_000_000,
    pixels=180_000_000,
)


def test_costs_are_baresoils_at_baresoils_rate() -> None:
    # Its 20 machines of 8 virtual CPUs made 120,449 images an hour for $7.96, $5.04, $1.816.
    found = [cost for cost in costs(120_449, 20 * 8, WORK) if "c4.2xlarge" in cost.machine]
    assert [cost.plan for cost in found] == list(PLANS)
    assert [cost.hour for cost in found] == pytest.approx([7.96, 5.04, 1.816])
    assert found[0].million == pytest.approx(66.09, abs=0.01)


def test_lambda_is_paid_by_the_image_and_has_no_spot() -> None:
    slow, fast = ([c for c in costs(rate, 2, WORK) if c.machine == LAMBDA] for rate in (100, 200))
    whole = sum(estimate(WORK).once.values()) / 10 * 1e6
    assert slow[0].million == fast[0].million == pytest.approx(whole, abs=0.01)
    assert slow[0].hour is not None
    assert fast[0].hour == pytest.approx(2 * slow[0].hour, rel=1e-3)
    assert slow[1].million is not None
    assert slow[1].million < whole
    assert (slow[2].hour, slow[2].million) == (None, None)


def test_where_nothing_was_published_no_image_has_a_price() -> None:
    none = Work(images=0, checked=0, imported=0, master_bytes=0, access_master_bytes=0, pixels=0)
    assert {cost.million for cost in costs(0, 2, none)} == {None}


def sent(begun: float, ended: float, state: str = "published") -> Sent:
    return Sent(
        agent=0,
        sample="a.jpg",
        bytes_in=10_000_000,
        begun=begun,
        ended=ended,
        state=state,
        server_seconds=2.0,
    )


def test_series_count_photographs_in_the_windows_they_belong_to() -> None:
    looks = [Look(time=100.6, cpu_cores=0.5, resident_mebibytes=90, machine_memory=0.25, agents=2)]
    rows = series([sent(100.0, 104.5), sent(101.5, 104.9, "rejected")], looks, 100.0, 105.0)
    assert [row["second"] for row in rows] == [0, 1, 2, 3, 4]
    assert all(set(row) == {"second", *CAPTIONS} for row in rows)
    assert [row["request_rate"] for row in rows] == [1, 1, 0, 0, 0]
    assert [row["megabytes"] for row in rows] == [0, 0, 0, 0, 10]
    assert [row["server_seconds"] for row in rows] == [None, None, None, None, 2.0]
    assert [row["round_trip_seconds"] for row in rows] == [4.5, None, None, None, None]
    assert (rows[0]["agents"], rows[0]["client_memory"]) == (2, 25)


@pytest.mark.parametrize("seconds", [88.17393207550049, 60.0, 31.7, 29.5, 0.4])
def test_series_end_with_the_run_and_lose_nothing(seconds: float) -> None:
    rows = series([sent(100.0, 100.0 + seconds)], [], 100.0, 100.0 + seconds)
    assert len(rows) <= WINDOWS
    starts = [row["second"] for row in rows]
    lengths = [b - a for a, b in zip(starts, [*starts[1:], seconds], strict=True)]
    assert min(lengths) > 0.3
    megabytes = sum(row["megabytes"] * long for row, long in zip(rows, lengths, strict=True))
    assert megabytes == pytest.approx(10, rel=0.02)


def test_a_line_leaves_gaps_where_nothing_is_known() -> None:
    drawn = line("title", [0, 1, 2, 3, 4], [1.0, 2.0, None, 4.0, 3.0])
    [path] = re.findall(r'd="([^"]+)"[^>]*stroke: var\(--series-0\); stroke-width: 1.5', drawn)
    assert path.count("M") == 2
    assert len(re.findall(r"<use [^>]*--series-0", drawn)) == 4
