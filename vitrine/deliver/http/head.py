"""The head of an answer as bytes: status line and headers."""

from http import HTTPStatus

from vitrine.deliver.http.exchange import Headers

_STATUS_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


def encode_head(status: int, headers: Headers) -> bytes:
    """Return the lines of a head, without the empty one that ends it."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    return f"HTTP/1.1 {_STATUS_LINES[status]}\r\n{lines}".encode("latin-1", "replace")


def end_head(length: int) -> bytes:
    """Return the end of a head before a body of `length` bytes."""
    return b"content-length: %d\r\n\r\n" % length
