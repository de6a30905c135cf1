"""The page of idle prices says what the templates cost."""

from collections import Counter
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
    EDGE_METRICS,
    PATROL_MEBIBYTES,
    PATROL_MINUTES,
    POLLED_QUEUES,
    TRACKING_ALARMS,
    UPDATE_MEBIBYTES,
    UPDATE_MINUTES,
    VISIT_HOURS,
    VISIT_MEBIBYTES,
    VISIT_REQUESTS,
    WALK_TRANSITIONS,
)
from vitrine.deliver.metrics.minute import METRICS
from vitrine.statistics.update import BACK_DAYS

COUNTED = {
    "AWS::CloudWatch::CompositeAlarm": "CloudWatch composite alarm",
    "AWS::CloudWatch::Dashboard": "CloudWatch dashboard",
    "AWS::ElasticLoadBalancingV2::LoadBalancer": "Internal load balancer",
    "AWS::WAFv2::WebACL": "Web ACL",
}
"""Resources that are paid for one by one, and their line on the page."""
OTHERWISE_PRICED = {
    "AWS::ApplicationAutoScaling::ScalableTarget",  # the tasks that stand by
    "AWS::ApplicationAutoScaling::ScalingPolicy",  # its alarms
    "AWS::CloudFront::MonitoringSubscription",
    "AWS::CloudWatch::Alarm",
    "AWS::EC2::VPCEndpoint",
    "AWS::ECS::Service",
    "AWS::Events::Rule",
    "AWS::Lambda::EventSourceMapping",
    "AWS::Scheduler::Schedule",
}
"""Resources that other tests here count."""
FREE_AT_REST = {
    "AWS::ApiGatewayV2::Api",
    "AWS::ApiGatewayV2::Integration",
    "AWS::ApiGatewayV2::Route",
    "AWS::ApiGatewayV2::Stage",
    "AWS::CloudFront::CachePolicy",
    "AWS::CloudFront::Distribution",
    "AWS::CloudFront::Function",
    "AWS::CloudFront::KeyValueStore",
    "AWS::CloudFront::OriginAccessControl",
    "AWS::CloudFront::OriginRequestPolicy",
    "AWS::CloudFront::ResponseHeadersPolicy",
    "AWS::CloudFront::VpcOrigin",
    "AWS::DynamoDB::GlobalTable",
    "AWS::EC2::FlowLog",
    "AWS::EC2::InternetGateway",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::ECS::Cluster",
    "AWS::ECS::TaskDefinition",
    "AWS::ElasticLoadBalancingV2::Listener",
    "AWS::ElasticLoadBalancingV2::ListenerRule",
    "AWS::ElasticLoadBalancingV2::TargetGroup",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::Lambda::Function",
    "AWS::Lambda::LayerVersion",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Url",
    "AWS::Logs::Delivery",
    "AWS::Logs::DeliveryDestination",
    "AWS::Logs::DeliverySource",
    "AWS::Logs::LogGroup",
    "AWS::Logs::QueryDefinition",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Topic",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
    "AWS::StepFunctions::StateMachine",
    "AWS::WAFv2::LoggingConfiguration",
}
"""Resources for which nobody pays while nothing happens. Another kind has to be looked up."""
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


def test_nothing_starts_by_the_clock_that_has_no_price(templates):
    kinds = ("AWS::Events::Rule", "AWS::Scheduler::Schedule")
    found = [item for kind in kinds for item in templates.of(kind)]
    by_clock = {
        item.id.partition("Schedule")[0]: item.properties["ScheduleExpression"]
        for item in found
        if "ScheduleExpression" in item.properties
    }
    hours = templates.environment.reconcile_hours
    walks = {1: "rate(1 hour)", 24: "rate(1 day)"}[hours]
    minutes = {"Patrol": PATROL_MINUTES, "Update": UPDATE_MINUTES}
    others = {name: f"rate({every} minutes)" for name, every in minutes.items()}
    assert by_clock == {
        **others,
        "Dump": "rate(1 hour)",
        "Visits": "rate(1 day)",
        "Reconcile": walks,
    }
    lines = [line.what for line in idle_lines(templates.environment)]
    assert sum(", every " in line for line in lines) == len(by_clock)
    states = templates.states("ReconcileMachine")
    assert len(states) == WALK_TRANSITIONS, "all but the pause, and the start"


def test_no_metric_of_ours_is_there_that_has_no_price(templates):
    lines = {line.what: line.quantity for line in idle_lines(templates.environment)}
    edge = templates.of("AWS::CloudFront::MonitoringSubscription")
    assert len(edge) * EDGE_METRICS == lines["CloudWatch metric of the edge"]
    assert len(METRICS) == lines["CloudWatch metric of the gateway"]
    kinds = {item.kind for item in templates.resources}
    assert "AWS::Logs::MetricFilter" not in kinds, "a metric for each"
    for cluster in templates.of("AWS::ECS::Cluster"):
        (setting,) = cluster.properties["ClusterSettings"]
        assert setting == {"Name": "containerInsights", "Value": "disabled"}, "metrics by the task"


@pytest.mark.parametrize("flavour", [None, *FLAVOURS])
def test_each_kind_of_resource_has_a_price_on_the_page_or_none_at_rest(
    templates, synthesize, flavour
):
    environment = templates.environment
    if flavour:
        environment = take_flavour(environment, flavour)
    found = Counter(item.kind for item in synthesize(environment).resources)
    assert found.keys() <= COUNTED.keys() | OTHERWISE_PRICED | FREE_AT_REST
    lines = Counter[str]()
    for line in idle_lines(environment):
        lines[line.what] += line.quantity
    for kind, what in COUNTED.items():
        assert found[kind] == lines[what], kind


def test_the_rules_of_a_firewall_are_priced_one_by_one(templates):
    lines = {line.what: line.quantity for line in idle_lines(templates.environment)}
    rules = [len(item.properties["Rules"]) for item in templates.of("AWS::WAFv2::WebACL")]
    assert sum(rules) == lines["Web ACL rule"]


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


def test_the_counts_of_visits_are_priced_as_they_are_deployed(templates):
    schedule = templates.one("AWS::Scheduler::Schedule", "VisitsSchedule").properties
    assert (schedule["ScheduleExpression"], VISIT_HOURS) == ("rate(1 day)", 24)
    counter = templates.one("AWS::Lambda::Function", "CountVisits").properties
    assert counter["MemorySize"] == VISIT_MEBIBYTES
    assert VISIT_REQUESTS == 2 * BACK_DAYS


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
        + 0.5 * 0.10  # images in ECR
        + 7 * 5 * 3 * 60 * 730 / 1e6 * 0.40  # seven queues, five pollers, three receives a minute
        + 12 * 730 * (0.20e-6 + 2 * 0.5 * 0.0000166667)  # patrols of half a GB, two seconds each
        + 4 * 730 * (0.20e-6 + 1769 / 1024 * 0.0000166667)  # looks for collections to update
        + 730 * (0.20e-6 + 1769 / 1024 * 0.0000166667 + 0.005e-3)  # looks for what dumps lack
        + 730 / 24 * (0.20e-6 + 2 * 1769 / 1024 * 0.0000166667 + 14 * 0.005e-3)  # counts of visits
        + 730 * (4 * 0.025e-3 + 0.20e-6 + 2 * 0.5 * 0.0000166667 + 0.005e-3)  # hourly walks
        + 12 * 730 * (0.005e-3 + 2 * 0.40e-6 + 0.125e-6)  # their page of keys, queues and query
    )  # fmt: skip
    assert idle_month(dev.environment) == pytest.approx(expected)
