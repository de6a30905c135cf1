"""Reads one HTTP/1.1 response after another from a connection (RFC 9112, sections 6 and 7)."""

from dataclasses import dataclass

_HEAD_END = b"\r\n\r\n"
_LINE_END = b"\r\n"
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
        self._buffer = bytearray()
        self._start_response()

    def _start_response(self) -> None:
        self._status = 0
        self._headers: dict[str, str] = {}
        self._wanted = -1
        self._until_close = False
        self._chunks: list[bytes] | None = None

    def feed(self, data: bytes) -> HttpResponse | None:
        """Return the response that `data` completes, if any. Raises ValueError for other data."""
        self._buffer += data
        while not self._status:
            if not self._read_head():
                return None
            if self._status < _FINAL:
                self._start_response()
        body = self._read_length() if self._chunks is None else self._read_chunks()
        if body is None:
            return None
        response = HttpResponse(self._status, self._headers, body)
        self._start_response()
        return response

    def close(self) -> HttpResponse | None:
        """Return the response that the end of the connection completes, if any."""
        if not self._until_close:
            return None
        response = HttpResponse(self._status, self._headers, bytes(self._buffer))
        self._buffer.clear()
        self._start_response()
        return response

    def _read_head(self) -> bool:
        end = self._buffer.find(_HEAD_END)
        if end < 0:
            return False
        status, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[: end + len(_HEAD_END)]
        for line in lines:
            name, _, value = line.partition(":")
            self._headers[name.lower()] = value.strip()
        self._status = int(status.split(" ", 2)[1])
        if "chunked" in self._headers.get("transfer-encoding", ""):
            self._chunks = []
        elif self._status in (204, 304):
            self._wanted = 0
        elif length := self._headers.get("content-length"):
            self._wanted = int(length)
        else:
            self._until_close = True
        return True

    def _read_length(self) -> bytes | None:
        if self._until_close or len(self._buffer) < self._wanted:
            return None
        body = bytes(self._buffer[: self._wanted])
        del self._buffer[: self._wanted]
        return body

    def _read_chunks(self) -> bytes | None:
        assert self._chunks is not None
        while (end := self._buffer.find(_LINE_END)) >= 0:
            size = int(bytes(self._buffer[:end]).partition(b";")[0], 16)
            following = end + len(_LINE_END) + size + len(_LINE_END)
            if len(self._buffer) < following:
                return None
            self._chunks.append(bytes(self._buffer[end + len(_LINE_END) : following - 2]))
            del self._buffer[:following]
            if not size:
                return b"".join(self._chunks)
        return None
