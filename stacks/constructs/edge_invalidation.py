"""What makes the edge forget an image that changed: ImageChanged -> queue -> CloudFront."""

from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_events as events
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.constructs.libvips_layer import LibvipsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.environments import Environment
from vitrine.edge.invalidation import AT_ONCE, settled_seconds
from vitrine.events import SOURCE, ImageChanged
from vitrine.settings import InvalidateSettings

PARALLEL = 2
"""The fewest that a queue's worker may have."""
WINDOW_SECONDS = 10
TIMEOUT_SECONDS = 120
"""Longer than the worker waits for room."""
RECEIVES = 50
"""Twelve minutes apart: ten hours of a CloudFront that refuses all, then the dead letters."""


class EdgeInvalidation(Construct):
    """Changes wait until all gateways know them, and go to CloudFront a thousand at a time.

    `identifier_ttl_seconds` is how long the gateways trust a record.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        distribution: cloudfront.Distribution,
        identifier_ttl_seconds: int,
        alarms: sns.ITopic,
    ) -> None:
        super().__init__(scope, id_)
        invalidator = PythonFunction(
            self,
            "invalidate_edge",
            environment=environment,
            settings=InvalidateSettings(distribution_id=distribution.distribution_id),
            layer=LibvipsLayer(self, "Layer", architecture=environment.architecture),
            size=FunctionSize(timeout_seconds=TIMEOUT_SECONDS),
        )
        distribution.grant_create_invalidation(invalidator)
        changed = WorkQueue(
            self,
            "Changed",
            worker=invalidator,
            parallel=PARALLEL,
            alarms=alarms,
            batching=Batching(
                messages=AT_ONCE,
                window_seconds=WINDOW_SECONDS,
                delay_seconds=settled_seconds(identifier_ttl_seconds),
                receives=RECEIVES,
            ),
        )
        changed.fill_from(
            events.Rule(
                self,
                "ImageChanged",
                description="An identifier that answered before answers something else now.",
                event_bus=events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus),
                event_pattern=events.EventPattern(
                    source=[SOURCE],
                    detail_type=[ImageChanged.name()],
                    # What is new was 404 before, and the edge remembers that for ten seconds only.
                    detail={"revision": events.Match.greater_than(1)},
                ),
            )
        )
