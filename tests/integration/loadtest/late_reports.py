"""A locustfile of two workers that report late what they counted last, or never: see CASE."""

import os
from typing import Any

import gevent
from locust.rpc import Message

from loadtest.locust.last_reports import LastReports

CASE = os.environ["LATE_REPORTS"]
"""Behaviour of the second worker: it is `slow`, as the first one always, or `lost`, or it `quits`.
"""
_send = LastReports._send_report


def _send_late(reports: LastReports, environment: Any, msg: Any, **_: Any) -> None:
    runner = environment.runner
    is_second = runner.worker_index == 1
    if is_second and CASE == "quits":
        runner.client.send(Message("quit", None, runner.client_id))
        gevent.sleep(0.2)
    if is_second and CASE != "slow":
        os._exit(1)
    # Meanwhile it does what other messages say.
    gevent.spawn_later(2, _send, reports, environment, msg)


LastReports._send_report = _send_late  # type: ignore[method-assign]

# The users and stages, which are created once the line above has been read.
from loadtest.locustfile import LoadVisitor, Stages  # noqa: E402

__all__ = ["LoadVisitor", "Stages"]
