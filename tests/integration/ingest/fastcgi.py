"""Debian's iipsrv on a unix socket, asked one question by FastCGI (1.0, sections 3.3 and 5)."""

import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import until

_BEGIN, _END, _PARAMETERS, _INPUT, _OUTPUT = 1, 3, 4, 5, 6
_RESPONDER = struct.pack(">HB5x", 1, 0)


@contextmanager
def run_iipsrv(folder: Path, **settings: str) -> Iterator[Path]:
    """Run it on the files of a folder; yield its socket there."""
    address = folder / "iipsrv.sock"
    own = {"LOGFILE": str(folder / "log"), "FILESYSTEM_PREFIX": f"{folder}/"}
    process = subprocess.Popen(
        ["spawn-fcgi", "-n", "-s", address, "--", "/usr/lib/iipimage-server/iipsrv.fcgi"],
        env=os.environ | own | settings,
    )
    try:
        until(address.exists, pause=0.05)
        yield address
    finally:
        process.kill()
        process.wait()


def ask(server: Path, query: str) -> bytes:
    """The body of the response to GET with this query string."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(server))
        connection.sendall(request(query))
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    return _output(answer).partition(b"\r\n\r\n")[2]


def request(query: str) -> bytes:
    """The records of GET with this query string."""
    parameters = {"REQUEST_METHOD": "GET", "QUERY_STRING": query, "SERVER_PROTOCOL": "HTTP/1.1"}
    pairs = b"".join(_pair(*item) for item in parameters.items())
    records = ((_BEGIN, _RESPONDER), (_PARAMETERS, pairs), (_PARAMETERS, b""), (_INPUT, b""))
    return b"".join(_record(kind, content) for kind, content in records)


def _pair(name: str, value: str) -> bytes:
    return struct.pack(">BI", len(name), len(value) | 1 << 31) + f"{name}{value}".encode()


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def _output(answer: bytes) -> bytes:
    output, place = b"", 0
    while place < len(answer):
        _, kind, _, length, padding = struct.unpack_from(">BBHHBx", answer, place)
        place += 8
        if kind == _OUTPUT:
            output += answer[place : place + length]
        place += length + padding
    return output
