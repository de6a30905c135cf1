"""When a drill takes the service for settled."""

from itertools import chain, repeat
from typing import Any

import pytest

from loadtest.drills.ingest import settling
from loadtest.drills.ingest.settling import await_settled


class Calm:
    """A service in which nothing moves, but for what is given."""

    def __init__(self, *running: int) -> None:
        self._running = chain(running, repeat(0))
        self.looks = 0

    def waiting(self) -> dict[str, int]:
        return {}

    def running(self) -> int:
        self.looks += 1
        return next(self._running)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "_LOOK_SECONDS", 0)


def test_what_begins_to_move_after_a_calm_moment_is_awaited() -> None:
    service: Any = Calm(1, 0, 0, 0, 2, 2)
    await_settled(service, None, 60, lambda: service.looks > 6)
    assert service.looks == 8


def test_what_never_ends_is_left_to_the_audit_after_a_minute() -> None:
    service: Any = Calm()
    await_settled(service, None, 60, lambda: False)
    assert service.looks * 0.5 == 60


def test_what_moves_for_too_long_is_named() -> None:
    service: Any = Calm(*[3] * 9)
    with pytest.raises(TimeoutError, match="'executions': 3"):
        await_settled(service, None, 0, lambda: True)
