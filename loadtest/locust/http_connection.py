"""The HTTP client of Locust's users, which are greenlets: kept connections, whole bodies, no
redirects, no cookies. Answers are checked as those of `loadtest.client` are."""

import time

import gevent
from geventhttpclient import HTTPClient
from geventhttpclient.response import HTTPParseError

from loadtest.workload.answers import Answer, describe_network_fault, find_fault
from loadtest.workload.decode import AnswerSampler, find_pixel_fault
from loadtest.workload.target import Target

CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
"""At most, between two pieces of an answer."""


class UserConnections:
    """A user's connections to one server, at most `most` at once."""

    def __init__(self, url: str, sample: AnswerSampler, most: int = 1) -> None:
        self._sample = sample
        self._client = HTTPClient.from_url(
            url,
            concurrency=most,
            connection_timeout=CONNECT_SECONDS,
            network_timeout=READ_SECONDS,
            block_size=65_536,
            headers={"User-Agent": "vitrine-loadtest", "Accept": "*/*"},
        )

    def request(self, target: Target) -> Answer:
        """Send a request and read the whole answer. Network errors are faults of the answer."""
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
            fault = describe_network_fault(error)
        seconds = time.perf_counter() - start
        fault = fault or find_fault(target, status, headers, body)
        if not fault and self._sample.takes(target, headers):
            # In a thread: other users are not kept waiting.
            fault = gevent.get_hub().threadpool.apply(find_pixel_fault, (target, body))
        return Answer(target, seconds, status, len(body), headers, fault)

    def close(self) -> None:
        """Hang up."""
        self._client.close()
