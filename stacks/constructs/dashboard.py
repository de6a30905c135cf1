"""The dashboard of an environment: is it well, and if not, where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from stacks.constructs.alarms import PERIOD
from stacks.constructs.service_alarms import gateway_metric
from stacks.stage import GLOBAL_REGION

WIDTH = 8
"""Width of a graph; a row has 24, which is three graphs."""
HOURS = 12
"""Hours that the dashboard shows at first."""
Metrics = Sequence[cloudwatch.IMetric]


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What the dashboard shows; the names in mappings are those in its legends."""

    uploads: sqs.IQueue
    failures: sqs.IQueue
    dead_letters: Mapping[str, sqs.IQueue]
    machine: sfn.IStateMachine
    converters: Mapping[str, lambda_.IFunction]
    """Converters by size class."""
    distribution: cloudfront.IDistribution
    origin: Sequence[cloudwatch.IWidget]
    """The row of what serves the images."""
    alarms: Sequence[cloudwatch.IAlarm]
    """Alarms of this region that notify somebody."""
    environment: str


class Dashboard(cloudwatch.Dashboard):
    """The alarms first, then rows in the order of the flow: ingest, converters, edge, origin.

    It has at most 50 metrics: one with more is not among the three dashboards that an account has
    for free.
    """

    def __init__(self, scope: Construct, id_: str, *, observed: Observed) -> None:
        super().__init__(
            scope,
            id_,
            default_interval=cdk.Duration.hours(HOURS),
            widgets=[
                [
                    cloudwatch.AlarmStatusWidget(
                        title="Is it well? Each alarm's mail names its run book (docs/runbooks)",
                        alarms=list(observed.alarms),
                        width=3 * WIDTH,
                        height=4,
                    )
                ],
                _ingest(observed),
                _converters(observed.converters),
                _edge(observed.distribution),
                list(observed.origin),
                _gateways(observed.environment),
            ],
        )

    @property
    def url(self) -> str:
        """Address of the dashboard, for users who are signed in to the account."""
        region = cdk.Stack.of(self).region
        console = f"https://{region}.console.aws.amazon.com/cloudwatch/home?region={region}"
        return f"{console}#dashboards/dashboard/{self.dashboard_name}"


def graph(
    title: str, left: Metrics, right: Metrics = (), width: int = WIDTH
) -> cloudwatch.GraphWidget:
    """Return a graph with a scale on each side, both from 0."""
    return cloudwatch.GraphWidget(
        title=title,
        left=list(left),
        right=list(right),
        width=width,
        left_y_axis=cloudwatch.YAxisProps(min=0),
        right_y_axis=cloudwatch.YAxisProps(min=0),
    )


def _ingest(observed: Observed) -> list[cloudwatch.IWidget]:
    uploads, machine = observed.uploads, observed.machine
    lost = {"Failures": observed.failures, **observed.dead_letters}
    return [
        graph(
            "Uploads that wait, and for how long",
            [
                uploads.metric_approximate_number_of_messages_visible(
                    period=PERIOD, label="waiting"
                ),
                uploads.metric_approximate_number_of_messages_not_visible(
                    period=PERIOD, label="at the starter"
                ),
            ],
            [
                uploads.metric_approximate_age_of_oldest_message(
                    period=PERIOD, label="oldest, seconds"
                )
            ],
        ),
        graph(
            "Executions",
            [
                machine.metric_started(period=PERIOD, label="started"),
                machine.metric_succeeded(period=PERIOD, label="succeeded"),
            ],
            [
                machine.metric_failed(period=PERIOD, label="failed"),
                machine.metric_timed_out(period=PERIOD, label="timed out"),
                machine.metric_aborted(period=PERIOD, label="aborted"),
            ],
        ),
        graph(
            "Failures and dead letters: vitrine failures list",
            [
                queue.metric_approximate_number_of_messages_visible(period=PERIOD, label=name)
                for name, queue in lost.items()
            ],
        ),
    ]


def _converters(converters: Mapping[str, lambda_.IFunction]) -> list[cloudwatch.IWidget]:
    return [
        graph(
            "Converters at work",
            [
                function.metric(
                    "ConcurrentExecutions", statistic="Maximum", period=PERIOD, label=name
                )
                for name, function in converters.items()
            ],
        ),
        graph(
            "Converters throttled",
            [item.metric_throttles(period=PERIOD, label=name) for name, item in converters.items()],
        ),
        graph(
            "Converters that made nothing: master rejected or passed on, or killed",
            [item.metric_errors(period=PERIOD, label=name) for name, item in converters.items()],
        ),
    ]


def _edge(distribution: cloudfront.IDistribution) -> list[cloudwatch.IWidget]:
    def metric(name: str, statistic: str, label: str) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace="AWS/CloudFront",
            metric_name=name,
            dimensions_map={"DistributionId": distribution.distribution_id, "Region": "Global"},
            region=GLOBAL_REGION,  # the region of CloudFront's metrics
            statistic=statistic,
            period=PERIOD,
            label=label,
        )

    return [
        graph("Edge: requests", [metric("Requests", "Sum", "requests")]),
        graph(
            "Edge: hits, percent, and milliseconds of the origin",
            [metric("CacheHitRate", "Average", "hits")],
            [metric("OriginLatency", "p90", "origin, p90")],
        ),
        graph(
            "Edge: errors, percent",
            [metric("4xxErrorRate", "Average", "4xx"), metric("5xxErrorRate", "Average", "5xx")],
        ),
    ]


def _gateways(environment: str) -> list[cloudwatch.IWidget]:
    def metric(name: str, label: str) -> cloudwatch.Metric:
        return gateway_metric(name, environment, period=PERIOD).with_(label=label)

    return [
        graph("Gateway: tiles", [metric("Tiles", "tiles")], [metric("SlowTiles", "slow")]),
        graph(
            "Gateway: reads of access masters",
            [metric("BlockCacheHits", "from the cache"), metric("BlockCacheMisses", "from S3")],
            [metric("StoreRetries", "tried again")],
        ),
        graph(
            "Gateway: renders",
            [metric("Renders", "renders")],
            [metric("RendersRefused", "refused")],
        ),
    ]
