"""The page of idle prices says what the templates cost."""

from dataclasses import replace
from pathlib import Path

import pytest

from docs.build.idle_price_page import idle_lines, idle_month
from stacks.constructs.network import INTERFACES
from stacks.designs import ENVIRONMENTS, PROD
from stacks.flavours import FLAVOURS, take_flavour
from vitrine.costs.standing import (
    COMPOSITE_ALARMS,
    DUMP_MEBIBYTES,
    DUMP_MINUTES,
    KEYS,
    PATROL_MEBIBYTES,
    PATROL_MINUTES,
    POLLED_QUEUES,
    TRACKING_ALARMS,
    UPDATE_MEBIBYTES,
    UPDATE_MINUTES,
)

README = Path(__file__).parents[2] / "README.md"
DEPLOYMENT = README.parent / "docs/howto/deploy-to-aws.md"


def test_the_readme_names_the_same_sums():
    text = README.read_text()
    for name, environment in ENVIRONMENTS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        assert row.endswith(f"| ${idle_month(environment):.0f} |"), row


def test_the_readme_names_the_sum_of_each_flavour():
    text = README.read_text()
    for name in FLAVOURS:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith(f"| ${idle_month(take_flavour(PROD, name)):.0f} |"), row


def test_the_page_on_deployment_names_the_sum_of_each_flavour():
    text = DEPLOYMENT.read_text()
    for name in FLAVOURS:
        row = next(line for line in text.splitlines() if line.startswith(f'| `"{name}"`'))
        assert f"| ${idle_month(take_flavour(PROD, name)):.0f} |" in row, row


def test_what_is_priced_is_what_is_deployed(templates):
    lines = {line.what: line.quantity for line in idle_lines(templates.environment)}
    alarms = [item.properties for item in templates.of("AWS::CloudWatch::Alarm")]
    looked_at = [metric for alarm in alarms for metric in alarm.get("Metrics", [alarm])]
    metrics = sum("Expression" not in metric for metric in looked_at)
    assert metrics == lines["Metric in CloudWatch alarms"]
    assert len(templates.of("AWS::CloudWatch::CompositeAlarm")) == COMPOSITE_ALARMS
    assert len(templates.of("AWS::KMS::Key")) == KEYS
    tracking = [
        item
        for item in templates.of("AWS::ApplicationAutoScaling::ScalingPolicy")
        if item.properties["PolicyType"] == "TargetTrackingScaling"
    ]
    assert 2 * len(tracking) == TRACKING_ALARMS
    queues = [
        item
        for item in templates.of("AWS::Lambda::EventSourceMapping")
        if "Queue" in str(item.properties["EventSourceArn"])
    ]
    assert len(queues) == POLLED_QUEUES
    interfaces = [
        item.properties
        for item in templates.of("AWS::EC2::VPCEndpoint")
        if item.properties["VpcEndpointType"] == "Interface"
    ]
    assert len(interfaces) == len(INTERFACES)
    zones = sum(len(item["SubnetIds"]) for item in interfaces)
    assert lines["Interface endpoint, per zone"] == zones
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    target = templates.one("AWS::ApplicationAutoScaling::ScalableTarget").properties
    assert lines["Fargate vCPU"] == target["MinCapacity"] * int(task["Cpu"]) / 1024
    assert lines["Fargate GiB of memory"] == target["MinCapacity"] * int(task["Memory"]) / 1024
    disk = task.get("EphemeralStorage", {"SizeInGiB": 20})["SizeInGiB"]
    assert lines["Fargate GiB of disk beyond 20"] == target["MinCapacity"] * (disk - 20)


def test_the_patrols_that_are_priced_are_those_that_are_deployed(templates):
    rule = templates.one("AWS::Events::Rule", "PatrolSchedule").properties
    assert rule["ScheduleExpression"] == f"rate({PATROL_MINUTES} minutes)"
    reconciler = templates.one("AWS::Lambda::Function", "Reconcile").properties
    assert reconciler["MemorySize"] == PATROL_MEBIBYTES


def test_the_looks_that_are_priced_are_those_that_are_deployed(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "UpdateSchedule").properties
    assert schedule["ScheduleExpression"] == f"rate({UPDATE_MINUTES} minutes)"
    updater = templates.one("AWS::Lambda::Function", "UpdateCollections").properties
    assert updater["MemorySize"] == UPDATE_MEBIBYTES


def test_the_looks_for_what_dumps_lack_are_priced_as_they_are_deployed(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "DumpSchedule").properties
    assert (schedule["ScheduleExpression"], DUMP_MINUTES) == ("rate(1 hour)", 60)
    dumper = templates.one("AWS::Lambda::Function", "WriteDumps").properties
    assert dumper["MemorySize"] == DUMP_MEBIBYTES


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_arm64_saves_a_fifth_of_what_the_tasks_cost(name):
    environment = ENVIRONMENTS[name]
    arm = replace(environment, architecture="arm64")
    saved = idle_month(environment) - idle_month(arm)
    computing = sum(
        line.sum for line in idle_lines(environment)
        if line.what in ("Fargate vCPU", "Fargate GiB of memory")
    )  # fmt: skip
    assert saved == pytest.approx(0.2 * computing, rel=0.01)


def test_the_price_of_dev_is_the_sum_of_its_parts(dev):
    expected = (
        730 * (0.5 * 0.04048 + 2 * 0.004445)  # one task
        + 730 * 0.0225  # load balancer
        + 730 * 3 * 0.01  # interface endpoints in one zone
        + 5 + 4  # web ACL, its rate rule and three groups of AWS's
        + 53 * 0.10 + 2 * 0.50 + 2 * 0.30  # alarms, composite ones, those of target tracking
        + (17 + 8) * 0.30 + 3  # metrics of gateway and edge, dashboard
        + 2  # the keys of the topics
        + 0.5 * 0.10  # images in ECR
        + 7 * 5 * 3 * 60 * 730 / 1e6 * 0.40  # seven queues, five pollers, three receives a minute
        + 12 * 730 * (0.20e-6 + 2 * 0.5 * 0.0000166667)  # patrols of half a GB, two seconds each
        + 4 * 730 * (0.20e-6 + 1769 / 1024 * 0.0000166667)  # looks for collections to update
        + 730 * (0.20e-6 + 1769 / 1024 * 0.0000166667 + 0.005e-3)  # looks for what dumps lack
        + 12 * 730 * (0.005e-3 + 2 * 0.40e-6 + 0.125e-6)  # their page of keys, queues and query
    )  # fmt: skip
    assert idle_month(dev.environment) == pytest.approx(expected)
