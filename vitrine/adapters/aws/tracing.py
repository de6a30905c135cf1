"""The trace of a request, sent to S3 with the reads that are made for it.

S3 ignores a parameter whose name begins with x-, and writes it into its access log with the
address (S3 user guide, "Amazon S3 server access log format", custom access log information).
"""

from typing import Any

from vitrine.trace import current_trace

PARAMETER = "x-trace"


def send_traces(client: Any) -> None:
    """Have a client of S3 add the current trace to each read."""
    for operation in ("GetObject", "HeadObject"):
        client.meta.events.register(f"before-sign.s3.{operation}", _add_trace)


def _add_trace(request: Any, **_: object) -> None:
    if trace := current_trace():
        separator = "&" if "?" in request.url else "?"
        request.url += f"{separator}{PARAMETER}={trace}"
