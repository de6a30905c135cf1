"""Calls that are made together."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from vitrine.joined_calls import JoinedCalls


class Service:
    """Answers with all that it was asked for; the first call waits until it is let go."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses = refuses
        self.calls: list[list[str]] = []
        self.is_busy, self.go_on = Event(), Event()
        self.joined = JoinedCalls(self.answer)
        self.results: dict[str, list[str] | str] = {}

    def answer(self, items: list[str]) -> list[str]:
        self.calls.append(list(items))
        if len(self.calls) == 1:
            self.is_busy.set()
            assert self.go_on.wait(60)
        if self.refuses in items:
            raise ValueError(self.refuses)
        return items

    def ask(self, item: str) -> None:
        try:
            self.results[item] = self.joined([item])
        except ValueError as error:
            self.results[item] = f"refused {error}"

    @contextmanager
    def requested(self, *items: str) -> Iterator[None]:
        """Ask for the first, and for the others while that is answered, each in a thread."""
        threads = [Thread(target=self.ask, args=(item,)) for item in items]
        threads[0].start()
        assert self.is_busy.wait(60)
        for thread in threads[1:]:
            thread.start()
        while self.joined._next.callers < len(items) - 1:
            pass
        yield
        self.go_on.set()
        for thread in threads:
            thread.join()


def test_those_who_come_during_a_call_share_the_next_one() -> None:
    service = Service(refuses="nothing")
    with service.requested("a", "b", "c", "d"):
        pass
    assert [sorted(items) for items in service.calls] == [["a"], ["b", "c", "d"]]
    assert service.results["a"] == ["a"]
    assert all(set(service.results[item]) == {"b", "c", "d"} for item in "bcd")


def test_nobody_fails_by_what_another_one_asked_for() -> None:
    service = Service(refuses="c")
    with service.requested("a", "b", "c", "d"):
        pass
    assert service.results == {"a": ["a"], "b": ["b"], "c": "refused c", "d": ["d"]}


def test_a_call_alone_raises_what_it_raises() -> None:
    service = Service(refuses="a")
    service.go_on.set()
    with pytest.raises(ValueError, match="a"):
        service.joined(["a"])
    assert service.calls == [["a"]]
