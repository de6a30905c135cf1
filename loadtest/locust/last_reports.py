"""What workers have counted since their last report: the master gets it before the run ends.

Locust's master waits half a second for it. A busy worker takes longer, and its requests would be
missing from the result.
"""

import time
from itertools import count
from typing import Any

import gevent
from locust.runners import MasterRunner, WorkerRunner

MAX_SECONDS = 10.0
"""Time that a worker has for its report."""
_CALLED, _SENT = "vitrine-report-called", "vitrine-report-sent"
_LOOK_SECONDS = 0.05


class LastReports:
    """The last report of each worker."""

    def __init__(self, environment: Any) -> None:
        self._runner = environment.runner
        self._known: set[str] = set()
        """Workers of this run, also those that are lost."""
        self._calls = count()
        self._sent: dict[int, set[str]] = {}
        """Workers that sent what they were called for, by the number of the call."""
        if isinstance(self._runner, MasterRunner):
            self._runner.register_message(_SENT, self._note_report)
            environment.events.worker_report.add_listener(
                lambda client_id, **_: self._known.add(client_id)
            )
        if isinstance(self._runner, WorkerRunner):
            self._runner.register_message(_CALLED, self._send_report)

    def begin(self) -> None:
        """Begin a new run: forget the workers of earlier ones."""
        if isinstance(self._runner, MasterRunner):
            self._known = set(self._runner.clients)

    def collect(self) -> bool:
        """Wait until every worker has reported; return False if one did not in time.

        Nothing is to be waited for where there is no master.
        """
        if not isinstance(self._runner, MasterRunner):
            return True
        # As Locust does next: a worker that comes back meanwhile gets no users.
        self._runner._users_dispatcher = None
        workers, call = self._runner.clients, next(self._calls)
        called = self._known.union(workers)
        sent = self._sent[call] = set()
        self._runner.send_message(_CALLED, {"call": call})
        deadline = time.monotonic() + MAX_SECONDS
        # What is not among the workers any more will not answer.
        while (called - sent).intersection(workers) and time.monotonic() < deadline:
            gevent.sleep(_LOOK_SECONDS)
        del self._sent[call]
        return called <= sent

    def _send_report(self, environment: Any, msg: Any, **_: Any) -> None:
        # Messages come in their order: the report is counted before this one is read.
        self._runner._send_stats()
        self._runner.send_message(_SENT, msg.data)

    def _note_report(self, environment: Any, msg: Any, **_: Any) -> None:
        self._sent.get(msg.data["call"], set()).add(msg.node_id)
