"""Reads one HTTP/1.1 response after another from a connection (RFC 9112, sections 6 and 7)."""

from dataclasses import dataclass

import httptools

_FINAL = 200
"""Below it are interim responses (RFC 9110, section 15.2), which have no body."""


@dataclass(frozen=True)
class HttpResponse:
    """A whole response; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class ResponseReader:
    """Takes bytes as they come; a response once it is whole."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._response: HttpResponse | None = None
        self.on_message_begin()

    def feed(self, data: bytes) -> HttpResponse | None:
        """Return the response that `data` completes, if any. Raises ValueError for other data."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            raise ValueError(str(error)) from None
        response, self._response = self._response, None
        return response

    def close(self) -> HttpResponse | None:
        """Return the response that the end of the connection completes, if any."""
        is_framed = "content-length" in self._headers or "transfer-encoding" in self._headers
        if not self._has_head or is_framed:
            return None
        self.on_message_complete()
        response, self._response = self._response, None
        return response

    def on_message_begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._has_head = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._has_head = self._parser.get_status_code() >= _FINAL

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._has_head:
            status = self._parser.get_status_code()
            self._response = HttpResponse(status, self._headers, bytes(self._body))
        self.on_message_begin()
