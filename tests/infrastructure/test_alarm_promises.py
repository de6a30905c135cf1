"""Alarms page for what visitors feel, say what to do, and are heard by somebody."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docs.build.idle_price_page import idle_month
from stacks.constructs.python_function import metrics_namespace
from stacks.designs import DEV, ENVIRONMENTS, PROD
from stacks.flavours import FLAVOURS, take_flavour
from stacks.sizes import PhotoFunctionSize
from vitrine.deliver.metrics.minute import METRICS, NAMESPACE
from vitrine.settings.edge import AccessOptions
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions

CERTIFICATE = "arn:aws:acm:us-east-1:111111111111:certificate/abc"
RUNBOOKS = Path(__file__).parents[2] / "docs/runbooks"
LAMBDAS = Path(__file__).parents[2] / "lambdas"
RUNBOOK = re.compile(r"What to do: docs/runbooks/([a-z0-9-]+)\.md$")


def alarms(templates) -> list[Any]:
    return [
        *templates.of("AWS::CloudWatch::Alarm"),
        *templates.of("AWS::CloudWatch::CompositeAlarm"),
    ]


def read_metrics(alarm) -> list[dict[str, Any]]:
    """Return namespace, name and dimensions of all that an alarm looks at."""
    properties = alarm.properties
    stats = [
        item["MetricStat"]["Metric"]
        for item in properties.get("Metrics", [])
        if "MetricStat" in item
    ]
    return stats or ([properties] if "MetricName" in properties else [])


@pytest.mark.slow
def test_every_alarm_names_a_run_book_that_there_is(templates):
    named = set()
    for alarm in alarms(templates):
        found = RUNBOOK.search(alarm.properties["AlarmDescription"])
        assert found, alarm.id
        named.add(found[1])
        assert (RUNBOOKS / f"{found[1]}.md").is_file(), alarm.id
    assert len(named) >= 12


@pytest.mark.slow
def test_every_run_book_belongs_to_an_alarm_or_a_budget(prod, synthesize):
    # Of these two only the second has an API, a Lambda as its photo door, access, MCP, and OCR.
    doors = {
        "photos": PhotoOptions(),
        "photo_function": PhotoFunctionSize(),
        "access": AccessOptions(),
        "ocr": OcrOptions(),
        "mcp": True,
    }
    both = (*alarms(prod), *alarms(synthesize(replace(DEV, **doors))))
    texts = [alarm.properties["AlarmDescription"] for alarm in both]
    for book in RUNBOOKS.glob("*.md"):
        alone = book.stem in ("README", "the-bill-is-high", "the-certificate-ends")
        assert alone or any(book.name in text for text in texts), book.name


def test_each_alarm_notifies_or_is_part_of_one_that_does(templates):
    rules = json.dumps(
        [item.properties["AlarmRule"] for item in templates.of("AWS::CloudWatch::CompositeAlarm")]
    )
    for alarm in alarms(templates):
        assert alarm.properties.get("AlarmActions") or alarm.id in rules, alarm.id


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("AWS/CloudFront", "5xxErrorRate"),
        ("AWS/ApplicationELB", "HTTPCode_Target_5XX_Count"),
        ("AWS/ApplicationELB", "HTTPCode_ELB_5XX_Count"),
        ("AWS/ApplicationELB", "UnHealthyHostCount"),
        ("AWS/ApplicationELB", "HealthyHostCount"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        ("AWS/DynamoDB", "ReadThrottleEvents"),
        (NAMESPACE, "SlowTiles"),
        (NAMESPACE, "IdentifiersTableLost"),
        (NAMESPACE, "IdentifiersTableSilent"),
        (NAMESPACE, "UnwritableCaches"),
        (NAMESPACE, "RendersRefused"),
        (NAMESPACE, "CeilingsReached"),
        (NAMESPACE, "StoreFailures"),
    ],
)
def test_what_visitors_feel_is_watched(templates, namespace, name):
    watched = [metric for alarm in alarms(templates) for metric in read_metrics(alarm)]
    assert (namespace, name) in {(item["Namespace"], item["MetricName"]) for item in watched}


def test_metrics_of_the_gateway_are_those_that_it_logs(templates):
    """An alarm on a name or a dimension that nobody writes never rings."""
    found = [
        metric
        for alarm in alarms(templates)
        for metric in read_metrics(alarm)
        if metric["Namespace"] == NAMESPACE
    ]
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    (gateway,) = [item for item in task["ContainerDefinitions"] if item["Name"] == "gateway"]
    variables = {item["Name"]: item["Value"] for item in gateway["Environment"]}
    for metric in found:
        assert metric["MetricName"] in METRICS
        (dimension,) = metric["Dimensions"]
        assert dimension["Name"] == "Environment"
        assert dimension["Value"] == variables["VITRINE_ENVIRONMENT_NAME"]


def counted_metrics() -> set[tuple[str, str]]:
    """Return the step and the metric of all counts that handlers of Lambdas emit."""
    found = set()
    for path in LAMBDAS.glob("*/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Name(id="count"), args=[ast.Constant(value=step), ast.Dict(keys=keys)]
                ):
                    names = [key.value for key in keys if isinstance(key, ast.Constant)]
                    found |= {(step, name.title().replace("_", "")) for name in names}
    return found


@pytest.mark.parametrize(
    "counted", [("write_dumps", "ObjectsLeftOut"), ("search_content", "SegmentsLeftOut")]
)
def test_what_a_part_leaves_out_is_counted_and_watched(prod, counted):
    namespace = metrics_namespace(prod.environment)
    watched = {
        (metric["Dimensions"][0]["Value"], metric["MetricName"])
        for alarm in alarms(prod)
        for metric in read_metrics(alarm)
        if metric["Namespace"] == namespace
    }
    assert counted in watched
    assert counted in counted_metrics()


def test_no_task_at_all_is_an_alarm(templates):
    (few,) = [item for item in alarms(templates) if "TooFewTasks" in item.id]
    assert few.properties["TreatMissingData"] == "breaching"
    assert few.properties["Threshold"] == templates.environment.image_task.minimum


def test_alarms_on_cloudfront_are_where_its_metrics_are(prod):
    for alarm in alarms(prod):
        for metric in read_metrics(alarm):
            assert (metric["Namespace"] == "AWS/CloudFront") == (alarm.stage == "watch"), alarm.id
    (watch,) = [stack for stack in prod.assembly.stacks if stack.stack_name.endswith("-watch")]
    assert watch.environment.region == "us-east-1"


def test_a_service_level_rings_fast_and_slow_and_only_with_both_windows(templates):
    for level, budget in (("Availability", 0.1), ("Tiles", 5.0)):
        parts = {
            item.id[len(level) :].rstrip("0123456789ABCDEF"): item.properties
            for item in templates.of("AWS::CloudWatch::Alarm")
            if item.id.startswith(level)
        }
        thresholds = {name: part["Threshold"] for name, part in parts.items()}
        assert thresholds == pytest.approx(
            {
                "FastLong": 14.4 * budget,
                "FastShort": 14.4 * budget,
                "SlowLong": 6 * budget,
                "SlowShort": 6 * budget,
            }
        )
        rule = json.dumps(
            templates.one("AWS::CloudWatch::CompositeAlarm", level).properties["AlarmRule"]
        )
        assert rule.count(" AND ") == 2
        assert rule.count(" OR ") == 1


@pytest.fixture(scope="module")
def mine(synthesize):
    """The templates of prod with a certificate and a budget."""
    return synthesize(
        replace(
            PROD,
            domain_name="iiif.example.org",
            certificate_arn=CERTIFICATE,
            alarm_address="images@example.org",
            monthly_budget_dollars=250,
        )
    )


@pytest.mark.slow
def test_a_certificate_is_watched(mine):
    (alarm,) = [item for item in alarms(mine) if "Certificate" in item.id]
    assert (alarm.stage, alarm.properties["Threshold"]) == ("watch", 30)
    assert alarm.properties["Dimensions"] == [{"Name": "CertificateArn", "Value": CERTIFICATE}]


def test_what_is_protected_needs_somebody_who_hears_its_alarms():
    mine = {
        "account": "111111111111",
        "domain_name": "a.example",
        "certificate_arn": "arn:aws:acm:us-east-1:111111111111:certificate/a",
        "balancer_certificate_arn": "arn:aws:acm:eu-west-1:111111111111:certificate/b",
    }
    with pytest.raises(ValueError, match="it needs alarm_address"):
        replace(PROD, **mine)
    replace(PROD, **mine, alarm_address="images@example.org")
    replace(ENVIRONMENTS["staging"], **mine)


@pytest.mark.slow
def test_a_budget_mails_before_it_is_spent(mine):
    budget = mine.one("AWS::Budgets::Budget").properties
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 250, "Unit": "USD"}
    assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:env$prod"]}
    when = {
        (item["Notification"]["NotificationType"], item["Notification"]["Threshold"]): item
        for item in budget["NotificationsWithSubscribers"]
    }
    assert set(when) == {("ACTUAL", 80), ("FORECASTED", 100)}
    for item in when.values():
        assert item["Subscribers"] == [
            {"Address": "images@example.org", "SubscriptionType": "EMAIL"}
        ]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_environment_comes_with_a_budget_of_two_or_three_times_its_idle_price(flavour):
    environment = take_flavour(PROD, flavour)
    assert 2 < environment.monthly_budget_dollars / idle_month(environment) < 3.5


@pytest.mark.slow
def test_a_budget_has_somebody_who_hears_of_it(operated, prod):
    assert operated.environment.monthly_budget_dollars
    assert operated.one("AWS::Budgets::Budget")
    assert not prod.environment.alarm_address
    assert "AWS::Budgets::Budget" not in {item.kind for item in prod.resources}


def test_tags_reach_what_costs_most(templates):
    service = templates.one("AWS::ECS::Service").properties
    assert service["PropagateTags"] == "SERVICE"
    assert {"Key": "env", "Value": templates.environment.name} in service["Tags"]
    tasks = [
        state
        for state in templates.states().values()
        if state.get("Resource", "").endswith("ecs:runTask.sync")
    ]
    for state in tasks:
        assert state["Parameters"]["PropagateTags"] == "TASK_DEFINITION"
    assert bool(tasks) == bool(templates.environment.giant_converter)


def test_questions_to_the_logs_are_saved(templates):
    queries = [item.properties for item in templates.of("AWS::Logs::QueryDefinition")]
    names = {query["Name"] for query in queries}
    assert len(names) == len(queries) >= 9
    assert all(name.startswith(f"vitrine-{templates.environment.name}/") for name in names)
    for query in queries:
        assert query["LogGroupNames"], query["Name"]
