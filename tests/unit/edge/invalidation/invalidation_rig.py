"""The function behind its queue, before a CloudFront with quotas; all as the stack has it."""

import importlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from stacks.constructs.edge_invalidation import (
    PARALLEL,
    RECEIVES,
    TIMEOUT_SECONDS,
    WINDOW_SECONDS,
)
from tests.unit.edge.invalidation.quota_cloudfront import DelayedQueue, QuotaCloudFront
from tests.unit.edge.invalidation.virtual_time import VirtualTime
from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.costs.standing import POLLERS
from vitrine.edge.invalidation import AT_ONCE, InvalidateServices, settled_seconds
from vitrine.settings.deliver import DeliverOptions

SETTLED = settled_seconds(DeliverOptions().identifier_ttl_seconds)


@dataclass
class Context:
    """What Lambda tells a handler of itself."""

    function_name: str = "invalidate_edge"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:eu-west-1:000000000000:function:invalidate_edge"
    aws_request_id: str = "1"


@dataclass
class Rig:
    """Queue, pollers, function and edge."""

    time: VirtualTime
    cloudfront: QuotaCloudFront
    queue: DelayedQueue
    invoke: Callable[[dict[str, Any]], dict[str, Any]]

    def work(self, *works: Callable[[], None], pollers: int = POLLERS) -> float:
        """Until the queue is empty; when the last invalidation was taken."""
        self.time.run(*works, *[lambda: self.queue.poll(self.invoke)] * pollers)
        return max(self.cloudfront.ended.values(), default=0.0)


def make_rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    """Build it, with the same chances each time."""
    random.seed(6)
    time = VirtualTime()
    cloudfront = QuotaCloudFront(time)
    services = InvalidateServices(
        edge=CloudFrontEdgeCache(cloudfront, "E1"),  # type: ignore[arg-type]
        wait=time.wait,
        now=lambda: time.now,
    )
    queue = DelayedQueue(
        time,
        delay_seconds=SETTLED,
        visibility_seconds=6 * TIMEOUT_SECONDS,
        receives=RECEIVES,
        batch=AT_ONCE,
        window_seconds=WINDOW_SECONDS,
        parallel=PARALLEL,
    )
    module = importlib.import_module("lambdas.invalidate_edge.handler")
    monkeypatch.setattr(module, "invalidate_services", lambda: services)
    monkeypatch.setattr(module, "own_queue", lambda event: queue)

    def invoke(event: dict[str, Any]) -> dict[str, Any]:
        begun = time.now
        try:
            answer: dict[str, Any] = module.handler(event, Context())
        finally:
            assert time.now - begun < TIMEOUT_SECONDS, "Lambda would have ended it"
        return answer

    return Rig(time, cloudfront, queue, invoke)
