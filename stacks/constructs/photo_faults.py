"""Photographs that were not taken by a fault of ours, counted from the logs of the photo door."""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.environments import Environment

NAMESPACE = "Vitrine/Photos"
METRIC = "Faults"
MAX_FAULTS = 2
"""In a quarter of an hour: one is repeated by its sender, and the same bytes are one image."""
QUARTER_HOUR = cdk.Duration.minutes(15)
ANSWERED_BY_FUNCTION = logs.FilterPattern.number_value("$.status", ">=", 500)
"""In the log of the Lambda: it answered 5xx. What its gateway refuses never gets there."""
ANSWERED_BY_TASK = logs.FilterPattern.all(
    logs.FilterPattern.any(
        logs.FilterPattern.string_value("$.uri", "=", "/photos"),
        logs.FilterPattern.string_value("$.uri", "=", "/photos?*"),
    ),
    logs.FilterPattern.string_value("$.gateway_status", "=", "5*"),
)
"""In nginx's log: the door answered 5xx, or not at all. What nginx refuses itself, since too many
come at a time, has no status of the door."""


class PhotoFaults(Construct):
    """`metric` sums the lines of a log that a pattern finds, and `others`.

    A metric from a log has no dimension that its lines do not have, so that the environment is in
    the namespace. It exists, and costs something, only in hours with a fault.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        log: logs.ILogGroup,
        pattern: logs.IFilterPattern,
        others: Sequence[cloudwatch.IMetric] = (),
    ) -> None:
        super().__init__(scope, id_)
        namespace = f"{NAMESPACE}/{environment.name}"
        logs.MetricFilter(
            self,
            "Filter",
            log_group=log,
            filter_pattern=pattern,
            metric_namespace=namespace,
            metric_name=METRIC,
            unit=cloudwatch.Unit.COUNT,
        )
        answered = cloudwatch.Metric(
            namespace=namespace, metric_name=METRIC, statistic="Sum", period=QUARTER_HOUR
        )
        counts = {f"m{number}": one for number, one in enumerate((answered, *others))}
        self.metric = cloudwatch.MathExpression(
            expression=" + ".join(f"FILL({name}, 0)" for name in counts),
            using_metrics=counts,
            period=QUARTER_HOUR,
            label="photographs that were not taken",
        )
