"""Invalidation at the edge: ImageChanged, ObjectChanged, RulesChanged -> queue -> CloudFront."""

from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_events as events
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.constructs.lambda_layers import PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import Batching, WorkQueue
from stacks.environments import Environment
from vitrine.edge.invalidation import AT_ONCE, settled_seconds
from vitrine.events import ImageChanged, ObjectChanged, RulesChanged
from vitrine.settings.edge import InvalidateSettings

PARALLEL = 2
"""Least concurrency that Lambda allows for a queue's worker."""
WINDOW_SECONDS = 10
TIMEOUT_SECONDS = 120
"""Longer than the worker waits while CloudFront takes no more invalidations."""
RECEIVES = 50
"""Tries, twelve minutes apart: CloudFront may reject everything for ten hours."""


class EdgeInvalidation(Construct):
    """A queue where changes wait until all gateways know them; they leave a thousand at a time.

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
            layers=[PowertoolsLayer(self, "Powertools", architecture=environment.architecture)],
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
        bus = events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus)
        changed.receive(
            "ObjectChanged",
            ObjectChanged.name(),
            bus=bus,
            # The first one as well: before, the image of that name had a manifest by itself.
            description="The manifest of an object or a collection has changed.",
        )
        changed.receive(
            "ImageChanged",
            ImageChanged.name(),
            bus=bus,
            description="The answer of an identifier that was known before has changed.",
            # A new identifier was 404 before, which the edge keeps for ten seconds only.
            detail={"was": ["live", "redirect", "gone"]},
        )
        changed.receive(
            "RulesChanged",
            RulesChanged.name(),
            bus=bus,
            description="The images in a collection are under other rules of access.",
        )
