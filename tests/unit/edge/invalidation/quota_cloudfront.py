"""CloudFront as its quotas make it feel; and a queue with its pollers, as SQS and Lambda are."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from tests.unit.edge.invalidation.virtual_time import VirtualTime

PATHS_IN_PROGRESS = 3_000
WILDCARDS_IN_PROGRESS = 15
"""CloudFront Developer Guide, "Concurrent invalidation request maximum"."""
COMPLETION_SECONDS = 25.0
""""Under 25 seconds at P95": AWS, "CloudFront now supports invalidation by cache tag", 2026-04."""
REQUESTS_PER_SECOND = 0.5
REQUESTS_AT_ONCE = 6
"""Not in the guide: github.com/aws/aws-sdk-js/issues/3983, where AWS names the rate, and whose
reporters see six or seven calls succeed before the first Throttling."""
CALL_SECONDS = 0.5


@dataclass
class QuotaCloudFront:
    """Stands in for a boto3 client."""

    time: VirtualTime
    closed_until: float = 0.0
    """Till then it throttles everybody."""
    ended: dict[str, float] = field(default_factory=dict)
    """Item -> when its last invalidation took effect."""
    requests: int = 0
    refusals: int = 0
    most_in_progress: int = 0
    _in_progress: list[tuple[float, list[str]]] = field(default_factory=list)
    _known: dict[str, list[str]] = field(default_factory=dict)
    _tokens: float = REQUESTS_AT_ONCE
    _filled_at: float = 0.0

    def create_invalidation(
        self, *, DistributionId: str, InvalidationBatch: Mapping[str, Any]
    ) -> dict[str, Any]:
        self.time.wait(CALL_SECONDS)
        self.requests += 1
        items = list(InvalidationBatch["Paths"]["Items"])
        reference = InvalidationBatch["CallerReference"]
        assert InvalidationBatch["Paths"]["Quantity"] == len(items)
        self._throttle()
        if reference in self._known:
            if self._known[reference] != items:
                raise self._refusal("InvalidationBatchAlreadyExists")
            return {"Invalidation": {"Id": reference}}
        self._check_quotas(items)
        self._known[reference] = items
        self._in_progress.append((self.time.now + COMPLETION_SECONDS, items))
        self.most_in_progress = max(self.most_in_progress, self._count(wildcards=False))
        self.ended |= dict.fromkeys(items, self.time.now)
        return {"Invalidation": {"Id": reference}}

    def _throttle(self) -> None:
        passed = self.time.now - self._filled_at
        self._filled_at = self.time.now
        self._tokens = min(REQUESTS_AT_ONCE, self._tokens + passed * REQUESTS_PER_SECOND)
        if self._tokens < 1 or self.time.now < self.closed_until:
            raise self._refusal("Throttling")
        self._tokens -= 1

    def _check_quotas(self, items: list[str]) -> None:
        self._in_progress = [item for item in self._in_progress if item[0] > self.time.now]
        if len(items) > PATHS_IN_PROGRESS:
            raise self._refusal("BatchTooLarge")
        wildcards = sum(item.endswith("*") for item in items)
        if (
            self._count(wildcards=False) + len(items) - wildcards > PATHS_IN_PROGRESS
            or self._count(wildcards=True) + wildcards > WILDCARDS_IN_PROGRESS
        ):
            raise self._refusal("TooManyInvalidationsInProgress")

    def _count(self, *, wildcards: bool) -> int:
        return sum(
            item.endswith("*") == wildcards for _, all_ in self._in_progress for item in all_
        )

    def _refusal(self, code: str) -> ClientError:
        self.refusals += 1
        answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}
        return ClientError(answer, "CreateInvalidation")


@dataclass(eq=False)
class Message:
    """One message of the queue."""

    body: str
    visible_at: float
    receives: int = 0


@dataclass
class DelayedQueue:
    """A queue, and what Lambda does for it: batches, and messages that come again."""

    time: VirtualTime
    delay_seconds: int
    visibility_seconds: int
    receives: int
    batch: int
    window_seconds: int
    messages: list[Message] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    dead_at: float = 0.0

    def send(self, body: str) -> None:
        self.messages.append(Message(body, self.time.now + self.delay_seconds))

    def poll(self, invoke: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Give the function batch after batch until nothing is left."""
        while self.messages:
            taken = self._take(self.batch)
            if not taken:
                self.time.wait(max(1.0, self._next_visible() - self.time.now))
                continue
            if len(taken) < self.batch:
                self.time.wait(self.window_seconds)
                taken += self._take(self.batch - len(taken))
            records = [{"messageId": str(id(item)), "body": item.body} for item in taken]
            try:
                answer = invoke({"Records": records})
            except Exception:
                continue  # all of them become visible again
            failed = {item["itemIdentifier"] for item in answer["batchItemFailures"]}
            done = {item for item in taken if str(id(item)) not in failed}
            self.messages = [item for item in self.messages if item not in done]

    def _next_visible(self) -> float:
        return min((item.visible_at for item in self.messages), default=0.0)

    def _take(self, most: int) -> list[Message]:
        seen = [item for item in self.messages if item.visible_at <= self.time.now][:most]
        taken = []
        for item in seen:
            if item.receives >= self.receives:
                self.messages.remove(item)
                self.dead.append(item.body)
                self.dead_at = self.time.now
                continue
            item.receives += 1
            item.visible_at = self.time.now + self.visibility_seconds
            taken.append(item)
        return taken


def changed(identifier: str, revision: int) -> str:
    """What the rule delivers."""
    return json.dumps(
        {"source": "vitrine", "detail": {"identifier": identifier, "revision": revision}}
    )
