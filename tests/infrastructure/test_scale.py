"""The page about 36 million images says what the templates, the quotas and the measured run say."""

from dataclasses import replace

import pytest

from docs.build.scale import IMAGES, LARGE_SHARE, Setting, bill, settings
from docs.build.scale_page import page
from docs.build.scale_quotas import QUOTAS
from stacks.constructs.state_table import MAXIMUM_WRITES_PER_SECOND
from stacks.environments import MOST_EXECUTIONS
from vitrine.costs.ingest_work import CONVERTER, STATES, STEPS, MeasuredImage

IMAGE = MeasuredImage(
    source="results/any-ingest/run.json",
    measured_at="2026-11-21",
    megapixels=20,
    master_bytes=32 * 1024 * 1024,
    access_master_bytes=6 * 1024 * 1024,
    cpu_seconds=1.0,
)


def test_an_execution_has_as_many_states_as_the_page_counts(templates):
    states, name, entered = templates.states(), templates.definition()["StartAt"], 1
    while not states[name].get("End") and states[name]["Type"] != "Succeed":
        name = states[name].get("Next") or states[name]["Choices"][0]["Next"]
        entered += 1
    assert (name, entered) == ("Published", STATES)


def test_the_steps_are_as_large_as_they_are_deployed(templates):
    memory = {
        item.id.rstrip("0123456789ABCDEF"): item.properties["MemorySize"]
        for item in templates.of("AWS::Lambda::Function")
    }
    for step in STEPS[:5]:
        name = "ConvertMasterSmall" if step is CONVERTER else step.name
        assert memory[name] == step.mebibytes, name


def test_small_and_large_converters_have_the_ratio_of_the_page(templates):
    environment = templates.environment
    assert environment.small_converter.at_once == LARGE_SHARE * environment.large_converter.at_once
    small = Setting(converters=environment.small_converter.at_once, image=IMAGE)
    assert small.executions_at_once == environment.executions_at_once


def test_the_arithmetic_of_one_setting():
    seconds = 1.5 + 38 * 1024 * 1024 / 78.125e6 + 6 * 0.03
    assert IMAGE.convert_seconds == pytest.approx(seconds)
    setting = Setting(converters=100, image=IMAGE)
    assert setting.rate == pytest.approx(100 / seconds)
    assert setting.hours == pytest.approx(IMAGES * seconds / 100 / 3600)
    converting = next(entry for entry in bill(IMAGE) if entry.what == "converting")
    assert converting.dollars == pytest.approx(IMAGES * seconds * 1769 / 1024 * 0.0000166667)


def test_twice_the_pixels_take_more_hours_and_dollars():
    larger = replace(IMAGE, cpu_seconds=2.0)
    assert sum(entry.dollars for entry in bill(larger)) > sum(
        entry.dollars for entry in bill(IMAGE)
    )
    for one, other in zip(settings(IMAGE), settings(larger), strict=True):
        assert other.hours > one.hours


def test_no_setting_has_more_executions_than_the_starter_allows():
    for setting in settings(IMAGE):
        at_once = setting.rate * IMAGE.execution_seconds
        assert at_once <= setting.executions_at_once + 1e-6
        assert setting.executions_at_once <= MOST_EXECUTIONS or not setting.paced


def test_the_bound_on_writes_is_the_one_that_is_deployed():
    (quota,) = [quota for quota in QUOTAS if quota.name.startswith("DynamoDB")]
    assert quota.limit == MAXIMUM_WRITES_PER_SECOND


def test_a_quota_that_is_met_is_in_bold():
    text = page(IMAGE)
    for quota in QUOTAS:
        row = next(line for line in text.splitlines() if line.startswith(f"| {quota.name} |"))
        met = any(quota.load(setting.load()) > quota.limit for setting in settings(IMAGE))
        assert ("**" in row) == met, quota.name
