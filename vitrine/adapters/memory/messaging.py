"""The event bus, queues and the state machine in memory: they keep what they received."""

import itertools
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from vitrine.ports import TakenMessage
from vitrine.store.clock import now


class MemoryEventBus:
    """A bus whose `events` holds (detail type, detail) pairs in the order they were sent."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        self.events.append((detail_type, dict(detail)))

    def publish_many(self, detail_type: str, details: Iterable[Mapping[str, Any]]) -> None:
        for detail in details:
            self.publish(detail_type, detail)


class MemoryQueue:
    """A queue that records delays in `delays`, without waiting for them."""

    def __init__(self) -> None:
        self._messages: dict[str, TakenMessage] = {}
        self._hidden: set[str] = set()
        self._numbers = itertools.count(1)
        self.delays: list[int] = []

    @property
    def messages(self) -> list[str]:
        """The bodies, oldest first."""
        return [message.body for message in self._messages.values()]

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        receipt = str(next(self._numbers))
        self._messages[receipt] = TakenMessage(body, now(), receipt)
        self.delays.append(delay_seconds)

    def take(self, most: int = sys.maxsize) -> list[TakenMessage]:
        visible = (item for item in self._messages.values() if item.receipt not in self._hidden)
        taken = list(itertools.islice(visible, most))
        self._hidden |= {item.receipt for item in taken}
        return taken

    def give_back(self, messages: Iterable[TakenMessage]) -> None:
        self._hidden -= {message.receipt for message in messages}

    def delete(self, messages: Iterable[TakenMessage]) -> None:
        for message in messages:
            self._messages.pop(message.receipt, None)

    def length(self) -> int:
        return len(self._messages)


class MemoryPipeline:
    """A state machine that runs nothing.

    `executions` holds the request of every execution by its name; an execution counts as running
    until its name is added to `ended`.
    """

    def __init__(self) -> None:
        self.executions: dict[str, dict[str, Any]] = {}
        self.ended: set[str] = set()

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        if name in self.executions:
            return False
        self.executions[name] = dict(request)
        return True

    def running(self) -> int:
        return len(self.running_names())

    def is_running(self, name: str) -> bool:
        return name in self.executions and name not in self.ended

    def running_names(self) -> set[str]:
        return set(sorted(self.executions.keys() - self.ended)[:1_000])
