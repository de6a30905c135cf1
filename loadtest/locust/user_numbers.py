"""Numbers for users: each has its own, over all workers, and so its own requests.

A worker asks the master for the next number. Counting within workers would not do: Locust spreads
users over them in an order of its own, and would leave numbers out.
"""

from itertools import count
from typing import Any

from gevent.event import AsyncResult
from locust.runners import MasterRunner, WorkerRunner

_WANTED, _GIVEN, _DONE = "vitrine-number-wanted", "vitrine-number-given", "vitrine-user-done"


class Numbers:
    """Gives numbers from 0 up, on a master to its workers as well, and counts who is done."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self._next = count()
        self._waiting: dict[int, AsyncResult] = {}
        self._tokens = count()
        self.done = 0
        """Users that came to the end of their requests; counted where there is no master above."""
        if isinstance(runner, MasterRunner):
            runner.register_message(_WANTED, self._give_number)
            runner.register_message(_DONE, self._count_user)
        if isinstance(runner, WorkerRunner):
            runner.register_message(_GIVEN, self._take_number)

    def begin(self) -> None:
        """Begin a new run: count from 0 again."""
        self._next, self.done = count(), 0

    def take(self) -> int:
        """Return the next number; on a worker it comes from the master."""
        if not isinstance(self._runner, WorkerRunner):
            return next(self._next)
        token = next(self._tokens)
        self._waiting[token] = AsyncResult()
        self._runner.send_message(_WANTED, {"token": token})
        return int(self._waiting[token].get())

    def end(self) -> None:
        """Count a user that is done."""
        if isinstance(self._runner, WorkerRunner):
            self._runner.send_message(_DONE)
        else:
            self.done += 1

    def _give_number(self, environment: Any, msg: Any, **_: Any) -> None:
        answer = {"token": msg.data["token"], "number": next(self._next)}
        self._runner.send_message(_GIVEN, answer, client_id=msg.node_id)

    def _take_number(self, environment: Any, msg: Any, **_: Any) -> None:
        self._waiting.pop(msg.data["token"]).set(msg.data["number"])

    def _count_user(self, environment: Any, msg: Any, **_: Any) -> None:
        self.done += 1
