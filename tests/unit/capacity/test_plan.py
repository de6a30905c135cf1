"""A plan is the cheapest of the designs that keep the target, and says why no design keeps it."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from capacity.errors import PlanImpossible
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome, Times
from capacity.plan.bill import sum_lines
from capacity.plan.busy_stretch import Stretch
from capacity.plan.design_search import design_of
from capacity.plan.flavour_prices import serverless_lines
from capacity.plan.growth import CPU, grown_jobs, what_breaks
from capacity.plan.make_plan import make_plan
from capacity.plan.monthly_usage import MonthlyUsage
from capacity.plan.plan_report import plan_parts
from capacity.plan.question import Question
from capacity.plan.quotas import QUOTAS
from loadtest.report import document
from vitrine.costs.ingest_work import ImageWork

pytestmark = pytest.mark.slow

IMAGE = ImageWork(
    megapixels=20,
    master_bytes=32e6,
    access_master_bytes=6e6,
    cpu_seconds=1.0,
)
QUESTION = Question(images=300, megapixels=3, visits_per_day=20, target_p95_ms=900)
PROFILE = CostProfile.default()


def small_plan(question: Question = QUESTION) -> dict[str, Any]:
    return make_plan(question, PROFILE, 2, 1, workers=1, warm_days=0.1, image=IMAGE)


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return small_plan()


def test_the_chosen_design_is_the_cheapest_that_keeps_the_target(run: dict[str, Any]) -> None:
    keeping = [one for one in run["candidates"] if one["keeps"]]
    (chosen,) = [one for one in run["candidates"] if one["chosen"]]
    assert chosen["usd"] == min(one["usd"] for one in keeping)
    assert chosen["design"] == run["design"]
    assert chosen["p95_ms"] <= QUESTION.target_p95_ms


def test_the_bill_is_the_sum_of_its_lines(run: dict[str, Any]) -> None:
    month = run["month"]
    assert month["usd"] == pytest.approx(sum(line["usd"] for line in month["lines"]))
    assert all(line["source"] for line in month["lines"])
    assert sum(hour["visits"] for hour in run["day"]) == pytest.approx(20)


def test_few_visits_take_the_lambda_and_many_do_not(run: dict[str, Any]) -> None:
    months = {one["name"]: one["usd"] for one in run["flavours"]["months"]}
    assert run["flavours"]["take"] == "serverless"
    assert months["serverless"] < months["museum"] < months["portal"]
    assert run["flavours"]["visits_per_year"] == 20 * 365
    usage = MonthlyUsage(**{name: 1_000 * value for name, value in run["month"]["usage"].items()})
    busy = replace(QUESTION, visits_per_day=20_000)
    assert sum_lines(serverless_lines([], usage, busy, 1.0, PROFILE)) > months["portal"]
    assert "take the flavour serverless" in document.format_text(plan_parts(run))


def test_the_same_question_has_the_same_answer(run: dict[str, Any]) -> None:
    assert json.dumps(small_plan()) == json.dumps(run)


def test_the_report_answers_and_shows_every_quota(run: dict[str, Any]) -> None:
    text = document.format_text(plan_parts(run))
    assert "The cheapest design that keeps the target" in text
    assert "At 100 times the visits " in text
    assert all(quota.name in text for quota in QUOTAS)
    page = document.html_page("A plan", plan_parts(run))
    assert page.count("<svg") == 4


def test_a_target_within_the_round_trip_is_impossible() -> None:
    with pytest.raises(PlanImpossible, match="round trip between a viewer and the edge"):
        small_plan(replace(QUESTION, target_p95_ms=15))


def test_a_target_below_the_time_of_the_work_is_impossible() -> None:
    with pytest.raises(PlanImpossible, match="more than enough of everything takes"):
        small_plan(replace(QUESTION, target_p95_ms=40))


def test_a_budget_below_the_idle_price_is_impossible_and_says_of_what_it_is_made() -> None:
    with pytest.raises(PlanImpossible, match=r"before anybody comes \(.*Fargate \$"):
        small_plan(replace(QUESTION, budget=30))


def test_a_seed_has_the_same_visits_whatever_the_design() -> None:
    stretch = Stretch.of(QUESTION)
    one, other = (
        stretch.jobs(design_of(vcpus, 15, minimum=1, maximum=2), [7, 8]) for vcpus in (1, 2)
    )
    assert [job[1:] for job in one] == [job[1:] for job in other]
    assert one[0][1] != one[1][1]


def test_short_stretches_are_simulated_of_many_visits_and_long_ones_of_few() -> None:
    hours = [
        Stretch.of(replace(QUESTION, visits_per_day=visits)).traffic.hours
        for visits in (20, 200, 2_000, 20_000, 2_000_000)
    ]
    assert hours == sorted(hours, reverse=True)
    assert (hours[0], hours[-1]) == (24, 2 / 60)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "^$"),
        ({"peak_cpu_percent": 99.0, "peak_tasks": 4}, f"{CPU}: all 4 are busy; p95 is 2,000 ms"),
        ({"peak_cpu_percent": 99.0}, "the autoscaler: 2 tasks are busy"),
        ({"store_bytes": 10**12}, "line to the object store, which the autoscaler does not see"),
        ({"failures": 50}, "waiting within the tasks, first of large requests; 5.0 %"),
    ],
)
def test_what_gives_way_is_named(changes: dict[str, Any], sentence: str) -> None:
    slow = bool(changes) and "failures" not in changes
    outcome = _outcome(p95=2.0 if slow else 0.2, **changes)
    design = design_of(1, 15, minimum=2, maximum=4)
    assert re.search(sentence, what_breaks(outcome, design, PROFILE, 500))


def _outcome(p95: float, **changes: Any) -> DayOutcome:
    times = Times(requests=1_000, mean=p95, p50=p95, p95=p95, p99=p95)
    figures = {
        "seconds": 60.0,
        "visits": 10,
        "requests": 1_000,
        "edge_hits": 0,
        "collapsed": 0,
        "shield_hits": 0,
        "origin_requests": 1_000,
        "failures": 0,
        "origin_failures": 0,
        "times": times,
        "by_class": {"tile": replace(times, p95=p95 / 2), "large": times},
        "origin_times": times,
        "on_demand_seconds": 120.0,
        "spot_seconds": 0.0,
        "spot_interruptions": 0,
        "viewer_bytes": 10**7,
        "origin_bytes": 10**7,
        "store_requests": 100,
        "store_bytes": 10**7,
        "identifier_reads": 10,
        "cpu_percent": 10.0,
        "peak_cpu_percent": 20.0,
        "peak_tasks": 2,
        "peak_requests_per_second": 20.0,
        "sample_seconds": 10,
        "series": (),
    }
    return DayOutcome(**figures | changes)


@pytest.mark.parametrize(
    ("images", "visits_per_day", "peak_factor", "factors"),
    [(20_000, 200, 4, [10, 100]), (1_000_000, 20_000, 3, [10]), (10_000_000, 300_000, 2, [])],
)
def test_growth_that_nobody_could_simulate_is_estimated(
    images: int, visits_per_day: float, peak_factor: float, factors: list[int]
) -> None:
    """A hundred times a union portal's visits are more than a question may have."""
    question = Question(images=images, visits_per_day=visits_per_day, peak_factor=peak_factor)
    design = design_of(1, 15, minimum=2, maximum=4)
    assert [*grown_jobs(design, question, 2, 1)] == factors
