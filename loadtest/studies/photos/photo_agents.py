"""Agents: each sends a photograph, waits until it is published, pauses, and sends the next."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from loadtest.client.master_uploads import POLL_SECONDS, ended, upload
from loadtest.corpora.camera_photographs import Sample
from loadtest.rigs.service_instance import Instance
from vitrine.records import Outcome

PAUSE_SECONDS = 0.2
"""Between an answer and the next photograph: Baresoil's agents waited "a small amount of time"."""
PUBLISHED = "published"
Progress = Callable[[int, int], None]


@dataclass(kw_only=True)
class Sent:
    """One photograph on its way. Times are seconds since the epoch, 0: not yet."""

    agent: int
    sample: str
    bytes_in: int
    begun: float
    uploaded: float = 0.0
    ended: float = 0.0
    state: str = "unfinished"
    """That of its outcome; `failed` if sending failed, `late` without an outcome in time."""
    sentence: str = ""
    identifier: str = ""
    execution: str = ""
    bytes_out: int = 0
    server_seconds: float | None = None
    """Seconds from the first state of its execution to the last."""

    @property
    def good(self) -> bool:
        """True if it became an image."""
        return self.state == PUBLISHED

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Agents:
    """`count` agents that send `photos` photographs in all, in an order that the seed decides."""

    running: Instance
    samples: Sequence[Sample]
    count: int
    photos: int
    seed: int
    limit_seconds: float
    sent: list[Sent] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: dict[str, tuple[Sent, threading.Event]] = field(default_factory=dict)
    _at_work: int = 0

    @property
    def at_work(self) -> int:
        """Number of agents that are sending or waiting now."""
        return self._at_work

    def run(self, progress: Progress) -> bool:
        """Run until all photographs have ended; return False after Ctrl-C."""
        order = random.Random(self.seed)
        names = iter([order.randrange(len(self.samples)) for _ in range(self.photos)])
        threads = [
            threading.Thread(target=self._agent, args=(number, names), daemon=True)
            for number in range(self.count)
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                self._look()
                progress(*self._counts())
                time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            self._stopped.set()
            self._release()
            return False
        return True

    def _counts(self) -> tuple[int, int]:
        done = [one for one in list(self.sent) if one.ended]
        return len(done), sum(not one.good for one in done)

    def _agent(self, number: int, names: Any) -> None:
        while not self._stopped.is_set():
            with self._lock:
                place = next(names, None)
                if place is None:
                    return
                self._at_work += 1
            self._send(number, self.samples[place])
            with self._lock:
                self._at_work -= 1
            self._stopped.wait(PAUSE_SECONDS)

    def _send(self, number: int, sample: Sample) -> None:
        one = Sent(agent=number, sample=sample.name, bytes_in=sample.bytes, begun=time.time())
        self.sent.append(one)
        try:
            key = upload(self.running, Path(sample.path), f"agent-{number}")
        except Exception as error:  # whatever the transport raises is an answer to be counted
            one.state, one.sentence = "failed", f"{type(error).__name__}: {error}"
            one.ended = time.time()
            return
        one.uploaded = time.time()
        known = threading.Event()
        with self._lock:
            self._waiting[key] = one, known
        if not known.wait(self.limit_seconds):
            one.state, one.sentence = "late", f"no outcome after {self.limit_seconds:g} s"
            one.ended = time.time()
            with self._lock:
                self._waiting.pop(key, None)

    def _look(self) -> None:
        """Look up all outcomes at once, so that agents do not load what they measure."""
        with self._lock:
            waiting = dict(self._waiting)
        if not waiting:
            return
        for key, outcome in ended(self.running, list(waiting)).items():
            one, known = waiting[key]
            self._note(one, outcome)
            with self._lock:
                self._waiting.pop(key, None)
            known.set()

    def _note(self, one: Sent, outcome: Outcome) -> None:
        one.ended = time.time()
        one.state, one.sentence = outcome.state, outcome.sentence
        one.identifier, one.execution = outcome.identifier, outcome.execution

    def _release(self) -> None:
        with self._lock:
            for _, known in self._waiting.values():
                known.set()
            self._waiting.clear()
