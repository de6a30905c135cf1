"""The trace of a request: one name for it in every log from the edge to S3.

It is the root of `X-Amzn-Trace-Id`, which the load balancer writes (on one machine, our nginx):
`1-`, eight hexadecimal digits, `-`, 24 more.
"""

from contextvars import ContextVar

HEADER = "x-amzn-trace-id"

_TRACE: ContextVar[str] = ContextVar("trace", default="")


def begin_trace(trace: str | None) -> None:
    """Note the trace of the request that this task works on."""
    _TRACE.set((trace or "").removeprefix("Root="))


def current_trace() -> str:
    """Return the trace of the request that this code works on, "" outside of any."""
    return _TRACE.get()
