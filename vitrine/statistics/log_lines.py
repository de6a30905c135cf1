"""Lines of the two access logs, CloudFront's and that of the edge on one machine, as requests.

Both logs are bytes that came from outside: a line has a limit, and what makes no sense is counted
and skipped by those who read.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple, Protocol

import msgspec

MAX_LINE_BYTES = 64 * 1024
"""CloudFront logs no request whose address has more than 8 KB or whose headers have more than 20
(Developer Guide, "Standard logging reference")."""
_CHUNK_BYTES = 1024 * 1024
_GOOD = frozenset({"200", "304"})
"""Statuses of answers that somebody saw, as COUNTER's Code of Practice, section 7.1, has it."""
_DAY_SECONDS = 86_400


class BinaryFile(Protocol):
    """What is read in order."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, b"" at the end."""
        ...


class LogLine(NamedTuple):
    """A request that was answered well."""

    day: str
    """YYYY-MM-DD, UTC."""
    second: int
    """Number of the second in the Gregorian calendar, UTC."""
    visitor: int
    """Hash of address and user agent, with a key that each process makes and never writes."""
    country: str
    """Two capital letters; "" if the log does not say."""
    agent: str
    path: str
    """As the client sent it, without query."""


class DamagedLine(ValueError):
    """A line of a log cannot be read."""


LineReader = Callable[[bytes], LogLine | None]
"""Returns what a line says, None for a request that is not counted. Raises DamagedLine."""


class _CloudFrontLine(msgspec.Struct, gc=False):
    date: str
    time: str
    status: str | int = msgspec.field(name="sc-status")
    method: str = msgspec.field(name="cs-method")
    path: str = msgspec.field(name="cs-uri-stem")
    address: str = msgspec.field(name="c-ip")
    agent: str = msgspec.field(name="cs(User-Agent)", default="-")
    country: str = msgspec.field(name="c-country", default="-")


_decode = msgspec.json.Decoder(_CloudFrontLine).decode
_NGINX = re.compile(
    r'(\S+) \[(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)([+-]\d\d:\d\d)\] "GET (/[^ "]*)(?: HTTP/[\d.]+)?" '
    r'(\d{3}) \d+ "((?:[^"\\]|\\.)*)" .*'
)
_NGINX_OTHER = re.compile(r'\S+ \[[^\]]+\] "(?:[^"\\]|\\.)*" \d{3} \d+ ".*')
"""Any other request: of another method, or of what was no HTTP."""


def read_cloudfront_line(line: bytes) -> LogLine | None:
    """Return what a line of standard logging v2, as JSON, says. See LineReader."""
    try:
        found = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedLine(str(error)) from None
    if found.method != "GET" or str(found.status) not in _GOOD:
        return None
    return LogLine(
        found.date,
        _second_of_day(found.date) + _seconds(found.time),
        hash((found.address, found.agent)),
        _country(found.country),
        found.agent,
        # CloudFront encodes the sign of an escape once more than the client did.
        found.path.replace("%25", "%"),
    )


def read_nginx_line(line: bytes) -> LogLine | None:
    """Return what a line of the edge on one machine says. See LineReader.

    Its form is that of `vitrine/local/edge/nginx.conf.template`.
    """
    text = line.decode(errors="replace")
    found = _NGINX.fullmatch(text)
    if not found:
        if _NGINX_OTHER.fullmatch(text):
            return None
        raise DamagedLine("this is no line of the edge's log")
    address, day, time, offset, path, status, agent = found.groups()
    if status not in _GOOD:
        return None
    second = _second_of_day(day) + _seconds(time) - _offset_seconds(offset)
    day = date.fromordinal(second // _DAY_SECONDS).isoformat()
    return LogLine(day, second, hash((address, agent)), "", agent, path.partition("?")[0])


def split_lines(file: BinaryFile, maximum_bytes: int) -> Iterator[bytes]:
    """Yield the lines of a file, b"" for one beyond MAX_LINE_BYTES.

    Raises DamagedLine where a compressed file is damaged, or longer than `maximum_bytes`.
    """
    rest, read = b"", 0
    while True:
        try:
            chunk = file.read(_CHUNK_BYTES)
        except (EOFError, OSError, zlib.error) as error:
            raise DamagedLine(str(error)) from None
        read += len(chunk)
        if read > maximum_bytes:
            raise DamagedLine(f"it has more than {maximum_bytes:,} bytes")
        if not chunk:
            break
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            yield line if len(line) <= MAX_LINE_BYTES else b""
        # Of a line that is too long, only that it was one is remembered.
        rest = rest[: MAX_LINE_BYTES + 1]
    if rest:
        yield rest if len(rest) <= MAX_LINE_BYTES else b""


@lru_cache(maxsize=64)
def _second_of_day(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal() * _DAY_SECONDS
    except ValueError as error:
        raise DamagedLine(str(error)) from None


def _seconds(time: str) -> int:
    try:
        hours, minutes, seconds = map(int, time.split(":"))
    except ValueError as error:
        raise DamagedLine(str(error)) from None
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0 <= seconds < 61):
        raise DamagedLine(f"{time} is no time of day")
    return hours * 3600 + minutes * 60 + seconds


@lru_cache(maxsize=64)
def _offset_seconds(offset: str) -> int:
    seconds = int(offset[1:3]) * 3600 + int(offset[4:6]) * 60
    return -seconds if offset[0] == "-" else seconds


@lru_cache(maxsize=1024)
def _country(text: str) -> str:
    return text if len(text) == 2 and text.isascii() and text.isalpha() and text.isupper() else ""
