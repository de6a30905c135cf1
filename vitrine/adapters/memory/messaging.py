"""The event bus, the failures queue and the state machine in memory: they keep what they got."""

from collections.abc import Mapping
from typing import Any


class MemoryEventBus:
    """`events` holds (detail type, detail) pairs in the order they were sent."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    def publish(self, detail_type: str, detail: Mapping[str, Any]) -> None:
        self.events.append((detail_type, dict(detail)))


class MemoryFailureQueue:
    """`messages` holds what was sent."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def send(self, message: Mapping[str, Any]) -> None:
        self.messages.append(dict(message))


class MemoryPipeline:
    """`executions` holds the request of every execution by its name."""

    def __init__(self) -> None:
        self.executions: dict[str, dict[str, Any]] = {}

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        if name in self.executions:
            return False
        self.executions[name] = dict(request)
        return True
