"""A clock for several threads that wait: hours pass in a moment, each time in the same order."""

import heapq
import itertools
import threading
from collections.abc import Callable


class VirtualTime:
    """Of the threads started here one runs at a time; when all wait, the clock moves on."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[tuple[float, int]] = []
        self._order = itertools.count()
        self._turn = threading.Condition()
        self._errors: list[BaseException] = []

    def run(self, *works: Callable[[], None]) -> None:
        """Do these at the same time; returns when all are done. Raises what one of them raised."""
        places = [self._take_place(0.0) for _ in works]
        threads = [
            threading.Thread(target=self._work, args=(work, place), daemon=True)
            for work, place in zip(works, places, strict=True)
        ]
        for thread in threads:
            thread.start()
        self._next()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]

    def wait(self, seconds: float) -> None:
        """Let `seconds` pass for the thread that calls."""
        place = self._take_place(seconds)
        self._next()
        self._until(place)

    def _work(self, work: Callable[[], None], place: tuple[float, int]) -> None:
        self._until(place)
        try:
            work()
        except BaseException as error:
            self._errors.append(error)
        self._next()

    def _take_place(self, seconds: float) -> tuple[float, int]:
        place = (self.now + seconds, next(self._order))
        with self._turn:
            heapq.heappush(self._waiting, place)
        return place

    def _next(self) -> None:
        with self._turn:
            if self._waiting:
                self.now = heapq.heappop(self._waiting)[0]
            self._turn.notify_all()

    def _until(self, place: tuple[float, int]) -> None:
        with self._turn:
            self._turn.wait_for(lambda: place not in self._waiting)
