"""HTTP as a load generator needs it: kept connections, whole bodies, no redirects, no cookies."""

import time
from collections.abc import Mapping
from typing import NamedTuple

import gevent
from geventhttpclient import HTTPClient
from geventhttpclient.response import HTTPParseError

from loadtest.workload.answers import fault_of
from loadtest.workload.decode import Sample, decoded_fault
from loadtest.workload.target import Target

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
"""Between two pieces of an answer."""


class Answer(NamedTuple):
    """What became of a request; `fault` is empty when the answer is what was asked for."""

    target: Target
    seconds: float
    status: int
    bytes: int
    headers: Mapping[str, str]
    fault: str


class Connections:
    """A user's connections to one server; `most` of them at once."""

    def __init__(self, url: str, sample: Sample, most: int = 1) -> None:
        self._sample = sample
        self._client = HTTPClient.from_url(
            url,
            concurrency=most,
            connection_timeout=CONNECT_SECONDS,
            network_timeout=READ_SECONDS,
            block_size=65_536,
            headers={"User-Agent": "vitrine-loadtest", "Accept": "*/*"},
        )

    def ask(self, target: Target) -> Answer:
        """Send, and read the whole answer. Errors of the network are faults."""
        start = time.perf_counter()
        status, headers, body, fault = 0, {}, b"", ""
        try:
            response = self._client.get(target.path)
            status = response.status_code
            headers = {name.lower(): value for name, value in response.items()}
            body = bytes(response.read())
            response.release()
        except HTTPParseError as error:
            # Once the head is read, only the end of the body can be missing.
            fault = f"truncated: {error}" if status else f"no HTTP answer: {error}"
        except OSError as error:
            fault = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - start
        fault = fault or fault_of(target, status, headers, body)
        if not fault and self._sample.takes(target, headers):
            # In a thread of its own: the other users are not kept waiting.
            fault = gevent.get_hub().threadpool.apply(decoded_fault, (target, body))
        return Answer(target, seconds, status, len(body), headers, fault)

    def close(self) -> None:
        """Hang up."""
        self._client.close()
