"""CloudFront as its quotas make it feel; and a queue with its pollers, as SQS and Lambda are."""

import heapq
import itertools
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from tests.unit.edge.invalidation.virtual_time import VirtualTime
from vitrine.errors import TransientError

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
    history: list[tuple[float, list[str]]] = field(default_factory=list)
    """When each invalidation was taken, and its items."""
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
        self.history.append((self.time.now, items))
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
    received_at: float = 0.0


RECEIVED_AT_ONCE = 10
"""Messages in one answer of SQS."""
RECEIVE_SECONDS = 0.02
IDLE_SECONDS = (0.2, 0.4)
"""Between two answers to a poller that got all there was: at random, as messages reach pollers."""


@dataclass
class DelayedQueue:
    """A queue, and what Lambda does for it: pollers, batches, and messages that come again."""

    time: VirtualTime
    delay_seconds: int
    visibility_seconds: int
    receives: int
    batch: int
    window_seconds: int
    parallel: int
    """Batches that the function works on at once; each poller holds another one meanwhile."""
    expects_more: bool = False
    """True while somebody sends."""
    dead: list[str] = field(default_factory=list)
    dead_at: float = 0.0
    messages: dict[int, Message] = field(default_factory=dict)
    _hidden: list[tuple[float, int]] = field(default_factory=list)
    """When each message can be seen, and its number."""
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _busy: int = 0

    def send(self, body: str) -> None:
        self._hide(next(self._numbers), Message(body, self.time.now + self.delay_seconds))

    def length(self) -> int:
        """Return how many messages there are, as `SqsQueue` does."""
        return len(self.messages)

    def poll(self, invoke: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Give the function batch after batch until nothing is left."""
        while self.messages or self.expects_more:
            taken = self._gather()
            if not taken:
                if not self.expects_more:  # what is left is hidden for long
                    self.time.wait(max(1.0, self._next_visible() - self.time.now))
                continue
            while self._busy >= self.parallel:
                self.time.wait(0.1)
            self._busy += 1
            self._work(taken, invoke)
            self._busy -= 1

    def _gather(self) -> dict[int, Message]:
        """Return a batch that is full, or whose window has ended since its first message."""
        taken: dict[int, Message] = {}
        ends_at = self.time.now + self.window_seconds
        while len(taken) < self.batch and self.time.now < ends_at:
            got = self._take(min(RECEIVED_AT_ONCE, self.batch - len(taken)))
            taken |= got
            if not taken and not self.expects_more:
                break
            full = len(got) == RECEIVED_AT_ONCE
            self.time.wait(RECEIVE_SECONDS if full else random.uniform(*IDLE_SECONDS))
        return taken

    def _work(
        self, taken: Mapping[int, Message], invoke: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> None:
        records = [
            {
                "messageId": str(number),
                "body": item.body,
                "attributes": {
                    "ApproximateFirstReceiveTimestamp": str(round(1000 * item.received_at))
                },
            }
            for number, item in taken.items()
        ]
        try:
            answer = invoke({"Records": records})
        except TransientError:
            return  # all of them become visible again
        failed = {int(item["itemIdentifier"]) for item in answer["batchItemFailures"]}
        for number in taken.keys() - failed:
            del self.messages[number]

    def _next_visible(self) -> float:
        return self._hidden[0][0] if self._hidden else 0.0

    def _take(self, most: int) -> dict[int, Message]:
        taken: dict[int, Message] = {}
        while len(taken) < most and self._hidden and self._hidden[0][0] <= self.time.now:
            _, number = heapq.heappop(self._hidden)
            if not (item := self.messages.get(number)):
                continue
            if item.receives >= self.receives:
                del self.messages[number]
                self.dead.append(item.body)
                self.dead_at = self.time.now
                continue
            item.receives += 1
            item.received_at = item.received_at or self.time.now
            item.visible_at = self.time.now + self.visibility_seconds
            self._hide(number, item)
            taken[number] = item
        return taken

    def _hide(self, number: int, item: Message) -> None:
        self.messages[number] = item
        heapq.heappush(self._hidden, (item.visible_at, number))


def changed(identifier: str, revision: int, state: str = "live") -> str:
    """What the rule delivers."""
    detail = {"identifier": identifier, "revision": revision, "state": state}
    return json.dumps({"source": "vitrine", "detail": detail})
