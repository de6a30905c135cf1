"""Agents in a closed loop: each sends a photograph over a new connection, waits, and pauses."""

import http.client
import random
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loadtest.corpora.camera_photographs import SamplePhotograph
from loadtest.servers.photo_doors.engine import Send

PAUSE_SECONDS = 0.1
"""Between an answer and the next photograph: Baresoil's agents waited "a small amount of time"."""
_LIMIT_SECONDS = 120.0
JPEG = b"\xff\xd8\xff"


@dataclass(kw_only=True)
class SentPhotograph:
    """One photograph and its answer. Times are seconds since the epoch, 0: not yet."""

    agent: int
    sample: str
    bytes_in: int
    begun: float
    ended: float = 0.0
    bytes_out: int = 0
    fault: str = ""
    """Why it was no success."""

    @property
    def good(self) -> bool:
        """True if a thumbnail came back."""
        return bool(self.ended) and not self.fault


@dataclass(kw_only=True)
class DoorAgents:
    """`count` agents, the last of which begins after `ramp_seconds`."""

    port: int
    certificate: Path
    send: Send
    samples: Sequence[SamplePhotograph]
    count: int
    seconds: float
    ramp_seconds: float
    seed: int
    sent: list[SentPhotograph] = field(default_factory=list)
    _at_work: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._photos = [Path(sample.path).read_bytes() for sample in self.samples]
        self._trust = ssl.create_default_context(cafile=str(self.certificate))

    @property
    def at_work(self) -> int:
        """Number of agents that have begun and not ended."""
        return self._at_work

    def run(self) -> bool:
        """Run until the time is over and every answer has come; return False after Ctrl-C."""
        deadline = time.time() + self.seconds
        threads = [
            threading.Thread(target=self._run_agent, args=(number, deadline), daemon=True)
            for number in range(self.count)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._stopped.set()
            return False
        return True

    def ask(self, place: int, agent: int) -> tuple[SentPhotograph, bytes]:
        """Send one of the samples, and return the figures and the body of its answer."""
        sample, photo = self.samples[place], self._photos[place]
        one = SentPhotograph(
            agent=agent, sample=sample.name, bytes_in=len(photo), begun=time.time()
        )
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=_LIMIT_SECONDS, context=self._trust
        )
        body = b""
        try:
            status, body = self.send(connection, photo)
            one.bytes_out = len(body)
            if status != http.client.OK:
                one.fault = f"status {status}"
            elif JPEG not in body:
                one.fault = "no thumbnail in the answer"
        except (OSError, http.client.HTTPException) as error:
            one.fault = type(error).__name__
        finally:
            connection.close()
        one.ended = time.time()
        return one, body

    def _run_agent(self, number: int, deadline: float) -> None:
        choice = random.Random(f"{self.seed}/{number}")
        self._stopped.wait(self.ramp_seconds * number / self.count)
        with self._lock:
            self._at_work += 1
        while time.time() < deadline and not self._stopped.is_set():
            one, _ = self.ask(choice.randrange(len(self.samples)), number)
            self.sent.append(one)
            self._stopped.wait(PAUSE_SECONDS)
        with self._lock:
            self._at_work -= 1
