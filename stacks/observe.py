"""Observe: alarms of the service, its service level, saved queries, and the dashboard."""

from typing import TypeVar

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.dashboard import Dashboard, Observed
from stacks.constructs.log_queries import FRONT_DOOR, GATEWAY, STEPS, LogQueries, kept_logs
from stacks.constructs.photo_faults import MAX_FAULTS
from stacks.constructs.python_function import PythonFunction, metrics_namespace
from stacks.constructs.service_alarms import (
    FIVE_MINUTES,
    ServiceAlarms,
    Threshold,
    Watched,
    add_alarm,
    gateway_metric,
)
from stacks.constructs.service_levels import QUICK_TILES_PERCENT, ServiceLevel
from stacks.constructs.work_queue import WorkQueue
from stacks.deliver import DeliverStack
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.ingest import IngestStack
from stacks.present import PresentStack
from stacks.stage import StageStack
from vitrine.deliver.metrics.minute import SLOW_TILE_SECONDS

MIN_TILES = 100
"""In a window: of fewer, a share says nothing."""
SLOW_SEARCH = cdk.Duration.seconds(5)
"""Somebody waits for it; the slowest of a hundred took 0.6 s of CPU (ADR 0036)."""
SLOW_PERIODS = 3
"""Periods of five minutes, one after the other: of few searches, one cold start is the slowest
percent."""
Kind = TypeVar("Kind")


class ObserveStack(StageStack):
    """What looks at all other stacks, in which it changes nothing."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        ingest: IngestStack,
        deliver: DeliverStack,
        edge: EdgeStack,
        present: PresentStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "observe", environment=environment, reads_weakly=True)
        self._name = environment.name
        self._watch_service(environment, ingest, deliver, identify)
        LogQueries(
            self,
            "Queries",
            environment=environment.name,
            groups={
                FRONT_DOOR: kept_logs(deliver, deliver.images.log_names[FRONT_DOOR]),
                GATEWAY: kept_logs(deliver, deliver.images.log_names[GATEWAY]),
                STEPS: [
                    group
                    for item in _find_all(ingest, PythonFunction)
                    for group in kept_logs(item.node.scope or item, f"{item.node.id}Log")
                ],
            },
        )
        if environment.dashboard:
            self._show(ingest, deliver, edge, present)

    def _show(
        self, ingest: IngestStack, deliver: DeliverStack, edge: EdgeStack, present: PresentStack
    ) -> None:
        workers = [
            item for stack in (ingest, edge, present) for item in _find_all(stack, WorkQueue)
        ]
        converters = [
            item for item in _find_all(ingest, PythonFunction) if item.step == "convert_master"
        ]
        dashboard = Dashboard(
            self,
            "Dashboard",
            observed=Observed(
                uploads=ingest.uploads.queue,
                failures=ingest.failures,
                dead_letters={
                    **{item.worker.state: item.dead_letters for item in workers},
                    "Missed reconciliations": ingest.missed_reconciliations,
                },
                machine=ingest.machine,
                converters={item.state: item for item in converters},
                distribution=edge.distribution,
                origin=deliver.images.widgets(),
                alarms=[
                    *_find_all(ingest, cloudwatch.Alarm),
                    *_find_all(self, cloudwatch.CompositeAlarm),
                    *(item for item in _find_all(self, cloudwatch.Alarm) if _notifies(item)),
                ],
                environment=self._name,
            ),
        )
        self.publish_outputs({"DashboardUrl": dashboard.url})

    def _watch_service(
        self,
        environment: Environment,
        ingest: IngestStack,
        deliver: DeliverStack,
        identify: IdentifyStack,
    ) -> None:
        ServiceAlarms(
            self,
            "Service",
            watched=Watched(
                environment=environment.name,
                origin=deliver.images.alarms(),
                oldest_upload=ingest.uploads.queue.metric_approximate_age_of_oldest_message(
                    statistic="Maximum", period=FIVE_MINUTES
                ),
                throttles=[
                    cloudwatch.Metric(
                        namespace="AWS/DynamoDB",
                        metric_name="ReadThrottleEvents",
                        dimensions_map={"TableName": identify.identifiers.table_name},
                        statistic="Sum",
                        period=FIVE_MINUTES,
                    )
                ],
            ),
            topic=ingest.alarms,
        )
        self._watch_doors(environment, ingest, deliver)
        if environment.image_function:
            return  # a few Lambdas that start are most of the tiles of few visitors
        ServiceLevel(
            self,
            "Tiles",
            promised_percent=QUICK_TILES_PERCENT,
            bad_percent=self._slow_percent,
            sentence=(
                f"Tiles are slow: of the {100 - QUICK_TILES_PERCENT:g} % that may take longer than "
                f"{1000 * SLOW_TILE_SECONDS:g} ms in a month, too much is being used up."
            ),
            runbook="tiles-are-slow",
            topic=ingest.alarms,
        )

    def _watch_doors(
        self, environment: Environment, ingest: IngestStack, deliver: DeliverStack
    ) -> None:
        if deliver.photo_faults:
            add_alarm(
                self,
                "PhotoDoorErrors",
                metric=deliver.photo_faults.metric,
                threshold=Threshold(above=MAX_FAULTS),
                topic=ingest.alarms,
                sentence="In a quarter of an hour, more than "
                f"{MAX_FAULTS} photographs were not taken by a fault of ours.",
                runbook="the-photo-door-fails",
            )
        if deliver.authorization_function:
            add_alarm(
                self,
                "AccessFails",
                metric=deliver.authorization_function.metric_errors(
                    period=FIVE_MINUTES, statistic="Sum"
                ),
                threshold=Threshold(above=0),
                topic=ingest.alarms,
                sentence="The services of access failed: people were not let in to images.",
                runbook="people-are-not-let-in",
            )
        if deliver.mcp_function:
            add_alarm(
                self,
                "McpFails",
                metric=deliver.mcp_function.function.metric_errors(
                    period=FIVE_MINUTES, statistic="Sum"
                ),
                threshold=Threshold(above=0),
                topic=ingest.alarms,
                sentence="The endpoint for programs that speak MCP failed: a program got no "
                "answer.",
                runbook="programs-get-no-answer",
            )
        self._watch_searches(environment, ingest, deliver.content_search_function)

    def _watch_searches(
        self, environment: Environment, ingest: IngestStack, searches: lambda_.IFunction
    ) -> None:
        add_alarm(
            self,
            "SearchesFail",
            # What it answers itself by 503 is among them, and so is what Lambda does by 502.
            metric=searches.metric("Url5xxCount", period=FIVE_MINUTES, statistic="Sum"),
            threshold=Threshold(above=0),
            topic=ingest.alarms,
            sentence="A search in texts failed: a visitor got an error instead of an answer.",
            runbook="searches-fail",
        )
        add_alarm(
            self,
            "SearchesIncomplete",
            metric=cloudwatch.Metric(
                namespace=metrics_namespace(environment),
                metric_name="SegmentsLeftOut",
                dimensions_map={"service": "search_content"},
                statistic="Maximum",
                period=FIVE_MINUTES,
            ),
            threshold=Threshold(above=0),
            topic=ingest.alarms,
            sentence="A part of the index of all texts is damaged: searches are answered without "
            "the objects in it.",
            runbook="searches-fail",
        )
        add_alarm(
            self,
            "SearchesSlow",
            metric=searches.metric_duration(period=FIVE_MINUTES, statistic="p99"),
            threshold=Threshold(above=SLOW_SEARCH.to_milliseconds(), periods=SLOW_PERIODS),
            topic=ingest.alarms,
            sentence="Searches in texts are slow: for a quarter of an hour, one in a hundred took "
            f"more than {SLOW_SEARCH.to_seconds():g} s.",
            runbook="searches-fail",
        )

    def _slow_percent(self, period: cdk.Duration) -> cloudwatch.IMetric:
        return cloudwatch.MathExpression(
            expression=f"IF(tiles > {MIN_TILES}, 100 * slow / tiles, 0)",
            using_metrics={
                "tiles": gateway_metric("Tiles", self._name, period=period),
                "slow": gateway_metric("SlowTiles", self._name, period=period),
            },
            period=period,
            label="slow tiles, percent",
        )


def _find_all(stack: StageStack, kind: type[Kind]) -> list[Kind]:
    return [item for item in stack.node.find_all() if isinstance(item, kind)]


def _notifies(alarm: cloudwatch.Alarm) -> bool:
    template = alarm.node.default_child
    return isinstance(template, cloudwatch.CfnAlarm) and bool(template.alarm_actions)
