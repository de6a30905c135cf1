"""A status page that is served, as a browser on this machine asks for it."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from vitrine.bootstrap.local_service import REPOSITORY

VITRINE = REPOSITORY / ".venv" / "bin" / "vitrine"
SECONDS = 180


class Served:
    """`vitrine status --serve` on a port of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline()
        self.port = urlsplit(self.line.split()[0]).port or 0

    def ask(
        self, path: str = "/", method: str = "GET", host: str = ""
    ) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of one answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{self.port}"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, dict(answer.headers), text

    def until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """`/status.json`, once it meets the condition."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            status: dict[str, Any] = json.loads(self.ask("/status.json")[2])
            if condition(status):
                return status
            time.sleep(0.2)
        raise AssertionError(status)

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=SECONDS)


@contextmanager
def served(environment: dict[str, str]) -> Iterator[Served]:
    """It runs within the block."""
    process = subprocess.Popen(
        [VITRINE, "status", "--serve", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()
