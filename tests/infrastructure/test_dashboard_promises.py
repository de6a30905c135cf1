"""The dashboard, for environments that have one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from docs.build.idle_price_page import idle_month
from stacks.designs import PROD

FREE_METRICS = 50


@pytest.fixture(scope="module")
def observed(synthesize):
    """Prod with a dashboard; CloudFront's metrics are in another region there."""
    return synthesize(PROD)


@pytest.fixture(scope="module")
def graphs(observed) -> dict[str, list[list[Any]]]:
    """Metrics by title, as CloudWatch reads them; values known only once deployed are in <>."""
    body = observed.one("AWS::CloudWatch::Dashboard").properties["DashboardBody"]
    (_, parts) = body["Fn::Join"]
    text = "".join(part if isinstance(part, str) else f"<{_name(part)}>" for part in parts)
    return {
        widget["properties"]["title"]: widget["properties"]["metrics"]
        for widget in json.loads(text)["widgets"]
        if "metrics" in widget["properties"]
    }


def _name(reference: dict[str, Any]) -> str:
    return next(str(value) for value in reference.values()).replace('"', "").replace("'", "")


def _metrics(graphs) -> list[list[Any]]:
    return [metric for metrics in graphs.values() for metric in metrics]


def _named(graphs) -> set[tuple[str, str]]:
    return {(metric[0], metric[1]) for metric in _metrics(graphs)}


def test_each_environment_has_one_unless_it_wants_none(prod):
    assert len(prod.of("AWS::CloudWatch::Dashboard")) == 1
    assert idle_month(PROD) - idle_month(replace(PROD, dashboard=False)) == pytest.approx(3)


def test_it_is_one_of_those_that_an_account_has_for_nothing(graphs):
    assert len(_metrics(graphs)) <= FREE_METRICS


def test_its_address_is_an_output(observed):
    outputs = observed.stages["observe"]["Outputs"]
    value = json.dumps(outputs["DashboardUrl"]["Value"])
    assert f"{PROD.region}.console.aws.amazon.com/cloudwatch" in value
    assert observed.one("AWS::CloudWatch::Dashboard").id in value


def test_ingest_is_seen_from_the_queue_to_its_end(graphs):
    assert {
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        ("AWS/States", "ExecutionsStarted"),
        ("AWS/States", "ExecutionsSucceeded"),
        ("AWS/States", "ExecutionsFailed"),
        ("AWS/States", "ExecutionsTimedOut"),
    } <= _named(graphs)


@pytest.mark.parametrize("name", ["ConcurrentExecutions", "Throttles", "Errors"])
def test_each_size_class_of_converters_is_seen(observed, graphs, name):
    found = [metric for metric in _metrics(graphs) if metric[:2] == ["AWS/Lambda", name]]
    labels = {metric[-1]["label"] for metric in found}
    assert labels == {"ConvertMasterSmall", "ConvertMasterLarge"}
    assert len({metric[3] for metric in found}) == 2


def test_every_queue_that_nobody_empties_is_seen(observed, graphs):
    worked = {
        item.properties["EventSourceArn"]["Fn::GetAtt"][0]
        for item in observed.of("AWS::Lambda::EventSourceMapping")
    }
    patrolled = {observed.one("AWS::SQS::Queue", "Notifications").id}
    kept = {queue.id for queue in observed.of("AWS::SQS::Queue")} - worked - patrolled
    shown = json.dumps(graphs["Failures and dead letters: vitrine failures list"])
    assert len(graphs["Failures and dead letters: vitrine failures list"]) == len(kept)
    for queue in kept:
        assert queue in shown, queue


def test_edge_and_origin_are_seen(graphs):
    assert {
        ("AWS/CloudFront", "Requests"),
        ("AWS/CloudFront", "5xxErrorRate"),
        ("AWS/ApplicationELB", "RequestCount"),
        ("AWS/ApplicationELB", "HTTPCode_Target_5XX_Count"),
        ("AWS/ApplicationELB", "TargetResponseTime"),
        ("AWS/ApplicationELB", "HealthyHostCount"),
        ("AWS/ECS", "CPUUtilization"),
    } <= _named(graphs)
    for metric in _metrics(graphs):
        if metric[0] == "AWS/CloudFront":
            assert metric[-1]["region"] == "us-east-1"
            assert "Global" in metric


@pytest.mark.slow
def test_the_dashboard_changes_nothing_else(synthesize, prod):
    def resources(templates):
        return {(item.stage, item.id): item.body for item in templates.resources}

    without = resources(synthesize(replace(PROD, dashboard=False)))
    added = resources(prod).keys() - without.keys()
    assert {stage for stage, _ in added} == {"observe"}
    assert all(resources(prod)[key] == body for key, body in without.items())


def test_the_first_thing_that_one_sees_is_whether_it_is_well(observed):
    body = observed.one("AWS::CloudWatch::Dashboard").properties["DashboardBody"]
    text = "".join(part if isinstance(part, str) else "x" for part in body["Fn::Join"][1])
    first = json.loads(text)["widgets"][0]
    assert first["type"] == "alarm"
    assert len(first["properties"]["alarms"]) >= 15


def test_what_the_gateways_did_is_seen(graphs):
    shown = {metric[1] for metric in _metrics(graphs) if metric[0] == "Vitrine/Gateway"}
    assert {"Tiles", "SlowTiles", "BlockCacheHits", "Renders", "RendersRefused"} <= shown
    assert ("AWS/CloudFront", "CacheHitRate") in _named(graphs)
