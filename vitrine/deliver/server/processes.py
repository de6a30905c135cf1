"""The processes of the gateway: forked from one that only watches, and replaced when they end.

The parent has imported everything before it forks, so a replacement serves after milliseconds, and
the processes share the memory of the code. It must have no threads when it forks.
"""

import contextlib
import ctypes
import gc
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BEAT_SECONDS = 1.0
"""Seconds between two signs of life of a serving process."""
MAX_SILENT_BEATS = 15
"""Beats that a process may miss before it is killed: its event loop is stuck."""
_MIN_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.1, 5.0
"""Pauses before a process is replaced that ended before it served."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_PR_SET_PDEATHSIG = 1  # linux/prctl.h

Beat = Callable[[], None]
"""Say that the process serves."""
Work = Callable[[int, Beat], None]
"""(number, beat): serve until SIGTERM."""

logger = logging.getLogger(__name__)


def gateway_socket(work_directory: Path, number: int) -> Path:
    """Return the path of the Unix socket on which nginx reaches a process, counted from 1."""
    return work_directory / "run" / f"gateway-{number}.sock"


class NeverServed(Exception):
    """A process ended before any had served: another one would end likewise."""


@dataclass
class _Child:
    number: int
    pid: int
    pulse: int
    """Descriptor from which its beats are read."""
    has_served: bool = False
    silent_beats: int = 0


class Processes:
    """`count` processes that do `work`, as long as nobody stops them."""

    def __init__(self, count: int, work: Work) -> None:
        self._count = count
        self._work = work
        self._children: dict[int, _Child] = {}
        self._due: dict[int, float] = {}
        """When each process that ended is replaced, by its number."""
        self._pauses: dict[int, float] = {}
        self._has_served = False
        self._stopping = False

    def run(self) -> None:
        """Return when SIGTERM or SIGINT was received and all processes have ended.

        Raises NeverServed.
        """
        # What exists by now is never collected: a collection would copy the pages it is on.
        gc.collect()
        gc.freeze()
        with _woken_by_signals() as wakes:
            for number in range(1, self._count + 1):
                self._start_child(number)
            try:
                self._watch_children(wakes)
            finally:
                self._signal_all(signal.SIGKILL)

    def _watch_children(self, wakes: int) -> None:
        tick = time.monotonic() + BEAT_SECONDS
        while self._children or not self._stopping:
            pulses = {child.pulse: child for child in self._children.values()}
            ready, _, _ = select.select([wakes, *pulses], [], [], self._seconds_to(tick))
            if wakes in ready and {signal.SIGTERM, signal.SIGINT} & set(os.read(wakes, 4096)):
                self._stopping = True
                self._signal_all(signal.SIGTERM)
            for pulse in ready:
                if pulse in pulses:
                    self._read_pulse(pulses[pulse])
            self._reap_children()
            if time.monotonic() >= tick:
                # Counted, not timed: that all were stopped for a while is no fault of theirs.
                tick = time.monotonic() + BEAT_SECONDS
                self._kill_the_stuck()
            self._replace_children()

    def _seconds_to(self, tick: float) -> float:
        return max(0.0, min(tick, *self._due.values(), tick) - time.monotonic())

    def _start_child(self, number: int) -> None:
        pulse, beats = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        sys.stdout.flush()
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        pid = os.fork()
        if not pid:
            _become_child(parent)
            for other in (pulse, *(child.pulse for child in self._children.values())):
                os.close(other)
            _work_and_exit(self._work, number, beats)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        os.close(beats)
        self._children[pid] = _Child(number, pid, pulse)

    def _read_pulse(self, child: _Child) -> None:
        with contextlib.suppress(BlockingIOError):
            if os.read(child.pulse, 4096):
                self._has_served = child.has_served = True
                child.silent_beats = 0
                self._pauses.pop(child.number, None)

    def _reap_children(self) -> None:
        for child in list(self._children.values()):
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if not pid:
                continue
            self._read_pulse(child)
            os.close(child.pulse)
            del self._children[pid]
            if not self._stopping:
                self._note_end(child, os.waitstatus_to_exitcode(status))

    def _note_end(self, child: _Child, code: int) -> None:
        cause = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if not self._has_served:
            raise NeverServed(f"A process of the gateway {cause} before it served.")
        pause = 0.0
        if not child.has_served:
            pause = self._pauses.get(child.number, _MIN_PAUSE_SECONDS)
            self._pauses[child.number] = min(2 * pause, _MAX_PAUSE_SECONDS)
        self._due[child.number] = time.monotonic() + pause
        logger.error(
            "Process %d of the gateway %s: another takes its place.",
            child.number,
            cause,
            extra={"fields": {"event": "gateway-process-ended", "count": 1}},
        )

    def _kill_the_stuck(self) -> None:
        for child in self._children.values():
            child.silent_beats += 1
            if child.silent_beats > MAX_SILENT_BEATS and not self._stopping:
                logger.error("Process %d of the gateway is stuck: it is killed.", child.number)
                os.kill(child.pid, signal.SIGKILL)

    def _replace_children(self) -> None:
        for number, due in list(self._due.items()):
            if self._stopping or time.monotonic() >= due:
                del self._due[number]
                if not self._stopping:
                    self._start_child(number)

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self._children.values():
            os.kill(child.pid, number)


@contextlib.contextmanager
def _woken_by_signals() -> Iterator[int]:
    """Yield a descriptor from which the numbers of signals are read."""
    reader, writer = socket.socketpair()
    with reader, writer:
        for end in (reader, writer):
            end.setblocking(False)
        before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
        previous = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield reader.fileno()
        finally:
            signal.set_wakeup_fd(previous)
            for number, handler in before.items():
                signal.signal(number, handler)


def _become_child(parent: int) -> None:
    """End with the parent, however that ends, and have signals as a new process has them."""
    signal.set_wakeup_fd(-1)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if os.getppid() != parent:
        os._exit(1)


def _work_and_exit(work: Work, number: int, beats: int) -> None:
    def beat() -> None:
        # The pipe is full if the parent is stopped, and broken if it has ended.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(beats, b".")

    code = 1
    try:
        work(number, beat)
        code = 0
    except BaseException:
        logger.exception("Process %d of the gateway failed.", number)
    finally:
        logging.shutdown()
        os._exit(code)
