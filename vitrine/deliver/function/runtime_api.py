"""The client of Lambda's Runtime API: the next event, and its answer as a stream.

A streamed answer may have 200 MB, a plain one 6 MB, of which Base64 takes a quarter; Lambda's own
Python cannot stream (Lambda, "Using the Lambda runtime API for custom runtimes").
"""

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_PREFIX = "/2018-06-01/runtime"
_STREAM = {
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Transfer-Encoding": "chunked",
}
_CHUNK_BYTES = 1 << 20


class RuntimeApiError(RuntimeError):
    """Lambda's side does not answer as its documentation says; the process can only end."""


@dataclass(frozen=True)
class Next:
    """An event, and the name under which it is answered."""

    request_id: str
    event: Any
    function_arn: str = ""
    deadline_milliseconds: int = 0
    """Unix time by which the answer must be there."""


class RuntimeApi:
    """Calls block: the wait for an event takes as long as nobody comes. For one thread at a time.

    `address` is host and port, as AWS_LAMBDA_RUNTIME_API has them.
    """

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address)

    def next(self) -> Next:
        """Wait for the next event. Raises RuntimeApiError."""
        headers, body = self._call_runtime("GET", "/invocation/next", expected=200)
        return Next(
            headers["Lambda-Runtime-Aws-Request-Id"],
            json.loads(body),
            headers.get("Lambda-Runtime-Invoked-Function-Arn", ""),
            int(headers.get("Lambda-Runtime-Deadline-Ms", "0")),
        )

    def answer(self, request_id: str, document: Any) -> None:
        """Answer an event of no request of a viewer, such as messages. Raises RuntimeApiError."""
        path, body = f"/invocation/{request_id}/response", json.dumps(document).encode()
        self._call_runtime("POST", path, body=body)

    def respond(self, request_id: str, *pieces: bytes) -> None:
        """Stream an answer. Raises RuntimeApiError."""
        self._call_runtime(
            "POST",
            f"/invocation/{request_id}/response",
            body=_split_chunks(pieces),
            headers=_STREAM,
        )

    def fail(self, request_id: str, error: Exception) -> None:
        """Say that an event could not be answered: the client gets 502. Raises RuntimeApiError."""
        self._report_error(f"/invocation/{request_id}/error", error)

    def fail_to_start(self, error: Exception) -> None:
        """Say that no event can be answered. Raises RuntimeApiError."""
        self._report_error("/init/error", error)

    def _report_error(self, path: str, error: Exception) -> None:
        document = {"errorMessage": str(error), "errorType": type(error).__name__}
        self._call_runtime("POST", path, body=json.dumps(document).encode())

    def _call_runtime(
        self,
        method: str,
        path: str,
        *,
        body: bytes | Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
        expected: int = 202,
    ) -> tuple[http.client.HTTPMessage, bytes]:
        try:
            self._connection.request(
                method,
                _PREFIX + path,
                body=body,
                headers=headers or {},
                encode_chunked=headers is _STREAM,
            )
            response = self._connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise RuntimeApiError(f"the Runtime API did not answer: {error}") from error
        if response.status != expected:
            raise RuntimeApiError(
                f"the Runtime API answered {method} {path} with {response.status}: {text[:200]!r}"
            )
        return response.headers, text


def _split_chunks(pieces: tuple[bytes, ...]) -> Iterator[bytes]:
    for piece in pieces:
        view = memoryview(piece)
        for start in range(0, len(view), _CHUNK_BYTES):
            yield bytes(view[start : start + _CHUNK_BYTES])
