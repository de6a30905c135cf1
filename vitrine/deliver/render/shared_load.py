"""The renders that all processes of a gateway have under way, in memory that they share.

Each process writes its own figures and reads those of the others; nothing is ever locked, so none
waits for one that was killed. A process first enters a render and then looks at the sum, so two
never both take the last turn: at worst, both try again.
"""

import ctypes
import mmap
import time
from itertools import count

_FIELDS = 4  # per process and lane: renders, bytes, when the first that waits is due, and seen
_LANES = 6
_RENDERS, _BYTES, _DUE, _SEEN = range(_FIELDS)
FORGOTTEN_SECONDS = 0.5
"""A process that says for so long no more that it waits is stuck, or dead: nobody waits for it."""


Numbers = ctypes.Array[ctypes.c_double]


class SharedLoad:
    """The figures of `processes` processes, which inherit them when they are forked."""

    def __init__(self, processes: int = 1) -> None:
        self.processes = processes
        size = processes * _LANES * _FIELDS
        # Anonymous memory, which a full disk cannot take away. Aligned numbers are written whole.
        memory = mmap.mmap(-1, size * ctypes.sizeof(ctypes.c_double))
        self._numbers: Numbers = (ctypes.c_double * size).from_buffer(memory)

    def seat(self, process: int) -> "Seat":
        """Return the figures that the process with this number, from 1, writes: all of them 0."""
        numbers = self._numbers
        width = _LANES * _FIELDS
        for field in range((process - 1) * width, process * width):
            numbers[field] = 0
        return Seat(numbers, process, self.processes)


class Seat:
    """One process's part of the shared figures, by which it is also known elsewhere."""

    def __init__(self, numbers: Numbers, process: int, processes: int) -> None:
        self.process = process
        """Number of the process among the gateway's, from 1."""
        self._numbers = numbers
        self._processes = processes
        self._lanes = count()

    def next_lane(self) -> "LaneLoad":
        """Return the figures of one more lane; every process asks for its lanes in one order."""
        number = next(self._lanes)
        if number >= _LANES:
            raise ValueError(f"there are {_LANES} lanes")
        starts = [(process * _LANES + number) * _FIELDS for process in range(self._processes)]
        own = starts.pop(self.process - 1)
        return LaneLoad(self._numbers, own, starts)


class LaneLoad:
    """The renders of one lane: this process's, and those of the others."""

    def __init__(self, numbers: Numbers, own: int, others: list[int]) -> None:
        self._numbers = numbers
        self._own = own
        self._others = others
        self.is_shared = bool(others)
        """True if there are other processes."""

    def add(self, renders: int, memory_bytes: int) -> None:
        """Enter renders that begin, or with negative numbers, that have ended."""
        self._numbers[self._own + _RENDERS] += renders
        self._numbers[self._own + _BYTES] += memory_bytes

    def total(self) -> tuple[int, int]:
        """Return the renders of all processes, and their bytes."""
        starts = (self._own, *self._others)
        return (
            int(sum(self._numbers[start + _RENDERS] for start in starts)),
            int(sum(self._numbers[start + _BYTES] for start in starts)),
        )

    def wait(self, due: float) -> None:
        """Say when the first render that waits here is due (time.monotonic()); 0: none waits."""
        self._numbers[self._own + _SEEN] = time.monotonic()
        self._numbers[self._own + _DUE] = due

    def is_first(self, due: float) -> bool:
        """Return True if no other process has a render waiting that is due earlier."""
        forgotten = time.monotonic() - FORGOTTEN_SECONDS
        return not any(
            0 < self._numbers[start + _DUE] < due and self._numbers[start + _SEEN] > forgotten
            for start in self._others
        )
