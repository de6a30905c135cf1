"""Alarms for what visitors feel: errors, slow tiles, too few tasks, and what leads to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.constructs.alarms import describe_alarm
from vitrine.deliver.metrics.minute import METRICS, NAMESPACE

MINUTE = cdk.Duration.minutes(1)
FIVE_MINUTES = cdk.Duration.minutes(5)
MIN_REQUESTS = 100
"""In five minutes: with fewer, one failure would be a share that wakes somebody."""
ERROR_PERCENT = 5
REFUSED_RENDERS = 20
"""In five minutes."""
MAX_UPLOAD_AGE_SECONDS = 3_600
Missing = Literal["well", "unwell"]
"""Meaning of a metric without values: nobody came, or nothing works."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """When an alarm rings: above or below a value, in a number of the last periods."""

    above: float | None = None
    below: float | None = None
    periods: int = 1
    missing: Missing = "well"


def add_alarm(
    scope: Construct,
    id_: str,
    *,
    metric: cloudwatch.IMetric,
    threshold: Threshold,
    sentence: str,
    runbook: str,
    topic: sns.ITopic | None,
) -> cloudwatch.Alarm:
    """Add an alarm that says what visitors feel, and where it is written what to do.

    Without a topic it notifies nobody: it is a part of a composite alarm.
    """
    operators = cloudwatch.ComparisonOperator
    missing = cloudwatch.TreatMissingData
    below = threshold.below is not None
    value = threshold.below if threshold.below is not None else threshold.above
    assert value is not None
    alarm = cloudwatch.Alarm(
        scope,
        id_,
        metric=metric,
        threshold=value,
        evaluation_periods=threshold.periods,
        comparison_operator=(
            operators.LESS_THAN_THRESHOLD if below else operators.GREATER_THAN_THRESHOLD
        ),
        treat_missing_data=(
            missing.BREACHING if threshold.missing == "unwell" else missing.NOT_BREACHING
        ),
        alarm_description=describe_alarm(sentence, runbook),
    )
    if topic:
        notify(alarm, topic)
    return alarm


def notify(alarm: cloudwatch.AlarmBase, topic: sns.ITopic) -> None:
    """Send a mail when the alarm rings, and one when it is over."""
    alarm.add_alarm_action(actions.SnsAction(topic))
    alarm.add_ok_action(actions.SnsAction(topic))


def gateway_metric(
    name: str, environment: str, *, statistic: str = "Sum", period: cdk.Duration = MINUTE
) -> cloudwatch.Metric:
    """Return one of the metrics that the gateways log. Raises KeyError for any other."""
    METRICS[name]
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=name,
        dimensions_map={"Environment": environment},
        statistic=statistic,
        period=period,
    )


@dataclass(frozen=True)
class OriginAlarm:
    """An alarm of what serves the images: tasks, or a Lambda."""

    id: str
    metric: cloudwatch.IMetric
    threshold: Threshold
    sentence: str
    runbook: str


def share_of_errors(id_: str, percent: cloudwatch.IMetric) -> OriginAlarm:
    """Return the alarm on the percentage of requests at the origin that end in an error."""
    return OriginAlarm(
        id_,
        percent,
        Threshold(above=ERROR_PERCENT),
        f"More than {ERROR_PERCENT} % of what the edge asks for is answered with an error.",
        "errors-at-the-origin",
    )


_GATEWAY_ALARMS = (
    (
        "StoreFails",
        "StoreFailures",
        Threshold(above=0, periods=3),
        "Image tasks gave up reading from S3, or were refused, three minutes in a row.",
        "s3-does-not-answer",
    ),
    (
        "DamagedReads",
        "DamagedReads",
        Threshold(above=0, periods=3),
        "Bytes of access masters were not those that were written, three minutes in a row. "
        "They are fetched again, and never shown.",
        "access-masters-are-damaged",
    ),
    (
        "RendersRefused",
        "RendersRefused",
        Threshold(above=REFUSED_RENDERS, periods=3),
        f"More than {REFUSED_RENDERS} renders in a minute were answered with 503 for lack "
        "of room, three minutes in a row.",
        "renders-are-refused",
    ),
    (
        "CeilingReached",
        "CeilingsReached",
        Threshold(above=0),
        "Image tasks read from S3 or rendered as much as the settings' ceilings allow.",
        "a-ceiling-was-reached",
    ),
    (
        "CacheUnwritable",
        "UnwritableCaches",
        Threshold(above=0, periods=3),
        "An image task cannot write to its disk; it goes on from memory, with more reads.",
        "a-cache-cannot-be-written",
    ),
    (
        "IdentifiersLost",
        "IdentifiersTableLost",
        Threshold(above=0),
        "The table of identifiers has lost its records: unknown identifiers answer 503.",
        "the-table-of-identifiers-is-lost",
    ),
    (
        "IdentifiersSilent",
        "IdentifiersTableSilent",
        Threshold(above=0, periods=3),
        "The table of identifiers did not answer, or refused, three minutes in a row: images that "
        "a task has in memory go on for ten minutes, all else answers 503.",
        "the-table-of-identifiers-does-not-answer",
    ),
)
"""Each with its metric, threshold, sentence and run book."""


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What the alarms look at."""

    environment: str
    origin: Sequence[OriginAlarm]
    oldest_upload: cloudwatch.IMetric
    throttles: Sequence[cloudwatch.IMetric]
    """Requests that the tables or functions which delivery needs turned away."""


class ServiceAlarms(Construct):
    """The alarms of an environment's region; those of the edge are with CloudFront."""

    def __init__(self, scope: Construct, id_: str, *, watched: Watched, topic: sns.ITopic) -> None:
        super().__init__(scope, id_)
        self._watched = watched
        self._topic = topic
        for item in watched.origin:
            self._add(item.id, item.metric, item.threshold, item.sentence, item.runbook)
        self._watch_gateways()
        self._watch_uploads()

    def _add(
        self, id_: str, metric: cloudwatch.IMetric, threshold: Threshold, sentence: str, book: str
    ) -> None:
        add_alarm(
            self,
            id_,
            metric=metric,
            threshold=threshold,
            sentence=sentence,
            runbook=book,
            topic=self._topic,
        )

    def _watch_gateways(self) -> None:
        for id_, name, threshold, sentence, book in _GATEWAY_ALARMS:
            metric = gateway_metric(name, self._watched.environment)
            self._add(id_, metric, threshold, sentence, book)
        total = cloudwatch.MathExpression(
            expression=" + ".join(f"FILL(m{n}, 0)" for n in range(len(self._watched.throttles))),
            using_metrics={f"m{n}": item for n, item in enumerate(self._watched.throttles)},
            period=FIVE_MINUTES,
            label="requests that DynamoDB throttled",
        )
        self._add(
            "TableThrottled",
            total,
            Threshold(above=0, periods=3),
            "DynamoDB has throttled reads of identifiers for a quarter of an hour.",
            "requests-are-throttled",
        )

    def _watch_uploads(self) -> None:
        self._add(
            "OldestUpload",
            self._watched.oldest_upload,
            Threshold(above=MAX_UPLOAD_AGE_SECONDS),
            "An upload has waited for an hour and its ingest has not begun.",
            "uploads-wait",
        )
