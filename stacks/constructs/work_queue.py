"""A queue between an EventBridge rule and a Lambda, with its dead letters."""

from collections.abc import Mapping
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.constructs.alarms import PERIOD, alarm_when_any
from stacks.constructs.ocr_function import OcrFunction
from stacks.constructs.python_function import PythonFunction
from stacks.stage import operators_key
from vitrine.events import SOURCE

RETENTION = cdk.Duration.days(14)


def make_private_queue(
    scope: Construct,
    id_: str,
    *,
    visibility_seconds: int = 30,
    delay_seconds: int = 0,
    dead_letters: sqs.DeadLetterQueue | None = None,
) -> sqs.Queue:
    """Add an encrypted queue for TLS only, which keeps messages for fourteen days."""
    key = operators_key(scope)
    queue = sqs.Queue(
        scope,
        id_,
        encryption=None if key else sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=RETENTION,
        visibility_timeout=cdk.Duration.seconds(visibility_seconds),
        delivery_delay=cdk.Duration.seconds(delay_seconds) if delay_seconds else None,
        dead_letter_queue=dead_letters,
    )
    if key:
        resource = queue.node.default_child
        assert isinstance(resource, sqs.CfnQueue)
        # The construct's own option would grant each worker any use of the key.
        resource.kms_master_key_id = key.key_arn
    return queue


@dataclass(frozen=True, kw_only=True)
class Batching:
    """How the messages of a queue reach its worker."""

    messages: int = 10
    window_seconds: int = 0
    """Seconds that a batch waits to become full; for more than ten messages at least one."""
    delay_seconds: int = 0
    """Seconds that each message waits before it can be received."""
    receives: int = 12
    """Tries of a message, six of its worker's timeouts apart. With a timeout of a minute, they
    outlast more than an hour in which AWS throttles everything."""
    apart_seconds: int = 0
    """Another time between two tries, longer than the worker's timeout."""


FEW_AT_ONCE = Batching()


class WorkQueue(Construct):
    """`queue` has one function as its worker, and `dead_letters` takes the events that fail.

    These are both what the rule could not deliver and what the function failed at too often, so
    that there is one way to redrive them.

    Outputs of its stack: `<worker's state>QueueUrl` and `<worker's state>DeadLettersUrl`, by which
    `vitrine failures` finds them.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        worker: PythonFunction | OcrFunction,
        parallel: int,
        alarms: sns.ITopic,
        batching: Batching = FEW_AT_ONCE,
    ) -> None:
        super().__init__(scope, id_)
        self._scope = scope
        self.worker = worker
        self.dead_letters = make_private_queue(self, "DeadLetters")
        self.queue = make_private_queue(
            self,
            "Queue",
            visibility_seconds=batching.apart_seconds or 6 * worker.size.timeout_seconds,
            delay_seconds=batching.delay_seconds,
            dead_letters=sqs.DeadLetterQueue(
                queue=self.dead_letters, max_receive_count=batching.receives
            ),
        )
        worker.add_event_source(
            sources.SqsEventSource(
                self.queue,
                batch_size=batching.messages,
                max_batching_window=(
                    cdk.Duration.seconds(batching.window_seconds)
                    if batching.window_seconds
                    else None
                ),
                max_concurrency=parallel,
                report_batch_item_failures=True,
            )
        )
        alarm_when_any(
            self,
            "DeadLettersAlarm",
            metric=self.dead_letters.metric_approximate_number_of_messages_visible(period=PERIOD),
            topic=alarms,
            sentence=f"Events that {worker.step} could not use wait to be read and redriven.",
            runbook="messages-could-not-be-used",
        )
        stack = cdk.Stack.of(self)
        urls = {"Queue": self.queue.queue_url, "DeadLetters": self.dead_letters.queue_url}
        for name, url in urls.items():
            cdk.CfnOutput(stack, f"{worker.state}{name}Url", value=url)

    def receive(
        self,
        id_: str,
        *names: str,
        bus: events.IEventBus,
        description: str,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """Deliver the service's own events of these names to the queue, if `detail` matches."""
        self.fill_from(
            events.Rule(
                self._scope,
                id_,
                description=description,
                event_bus=bus,
                event_pattern=events.EventPattern(
                    source=[SOURCE], detail_type=[*names], detail=detail
                ),
            )
        )

    def fill_from(self, rule: events.Rule) -> None:
        """Deliver the rule's events to the queue; after a day of tries, to the dead letters."""
        rule.add_target(
            targets.SqsQueue(
                self.queue,
                dead_letter_queue=self.dead_letters,
                max_event_age=cdk.Duration.hours(24),
                retry_attempts=185,
            )
        )
