"""Whose turn it is in a simulated pool, as in `vitrine.deliver.render.pool`."""

from typing import Any

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.model.admission import PATIENCE_SECONDS, SLACK_SECONDS, RenderAdmission


class _Renders:
    """Of (name, megapixels of work, seconds), which all come at once, a nanosecond apart."""

    def __init__(self, places: int, waiting: int, renders: list[tuple[str, float, float]]) -> None:
        self.clock = Clock()
        self.pool = RenderAdmission(self.clock, places, waiting)
        self.started: list[str] = []
        self.refused: list[str] = []
        self.seconds = {name: seconds for name, _, seconds in renders}
        for at, (name, work, _) in enumerate(renders):
            self.clock.after(at, self._come, (name, work))
        self.clock.run()

    def _come(self, render: tuple[str, float]) -> None:
        name, work = render
        if self.pool.admit():
            self.pool.enter(work, self._start, self.refused.append, name)
        else:
            self.refused.append(name)

    def _start(self, name: str) -> None:
        self.started.append(name)
        self.clock.after(to_nanoseconds(self.seconds[name]), lambda event: self.pool.leave())


def test_who_is_due_first_is_next() -> None:
    renders = [("first", 50, 1), ("much", 50, 1), ("little", 10, 1), ("middling", 20, 1)]
    assert _Renders(1, 9, renders).started == ["first", "little", "middling", "much"]


def test_equal_work_is_served_in_the_order_it_came() -> None:
    renders = [(name, 10, 1) for name in "abcd"]
    assert _Renders(1, 9, renders).started == list("abcd")


def test_much_work_waits_for_little_no_longer_than_it_takes_itself() -> None:
    clock = Clock()
    pool, started = RenderAdmission(clock, 1, 9), list[str]()
    late = to_nanoseconds(60 * SLACK_SECONDS)
    for at, name, work in [(0, "first", 1.0), (1, "much", 60.0), (late, "little", 1.0)]:

        def come(event: Any, name: str = name, work: float = work) -> None:
            assert pool.admit()
            pool.enter(work, started.append, started.append, name)

        clock.after(at, come)
    clock.after(late + 1, lambda event: pool.leave())
    clock.after(late + 2, lambda event: pool.leave())
    clock.run()
    assert started == ["first", "much", "little"]


def test_beyond_the_room_and_beyond_patience_is_refused_and_the_rest_is_served() -> None:
    renders = [("first", 1, PATIENCE_SECONDS + 5), ("second", 1, 1), ("third", 1, 1)]
    run = _Renders(1, 1, renders)
    assert run.refused == ["third", "second"]
    assert run.started == ["first"]
    assert run.pool.admitted == 0
    assert run.clock.now >= (PATIENCE_SECONDS + 5) * SECOND
