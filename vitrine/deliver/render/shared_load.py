"""What all processes of a gateway have under way and have spent, in memory that they share.

Each process writes its own figures and reads those of the others; nothing is ever locked, so none
waits for one that was killed. A process first enters a render and then looks at the sum, so two
never both take the last turn: at worst, both try again.
"""

import ctypes
import mmap
import time
from itertools import count

_FIELDS = 4  # per process and lane: renders, bytes, when the first that waits is due, and seen
_LANES = 7
_RENDERS, _BYTES, _DUE, _SEEN = range(_FIELDS)
_SPENDINGS = 3
_WINDOW, _SPENT = range(2)  # per process and spending
FORGOTTEN_SECONDS = 0.5
"""A process that says for so long no more that it waits is stuck, or dead: nobody waits for it."""


Numbers = ctypes.Array[ctypes.c_double]


class SharedLoad:
    """The figures of `processes` processes, which inherit them when they are forked."""

    def __init__(self, processes: int = 1) -> None:
        self.processes = processes
        size = processes * (_LANES * _FIELDS + _SPENDINGS * 2)
        # Anonymous memory, which a full disk cannot take away. Aligned numbers are written whole.
        memory = mmap.mmap(-1, size * ctypes.sizeof(ctypes.c_double))
        self._numbers: Numbers = (ctypes.c_double * size).from_buffer(memory)

    def load(self, process: int) -> "ProcessLoad":
        """Return the figures that the process with this number, from 1, writes: all of them 0.

        What its predecessor had spent stays spent.
        """
        numbers = self._numbers
        width = _LANES * _FIELDS
        for field in range((process - 1) * width, process * width):
            numbers[field] = 0
        return ProcessLoad(numbers, process, self.processes)


class ProcessLoad:
    """One process's part of the shared figures, by which it is also known elsewhere."""

    def __init__(self, numbers: Numbers, process: int, processes: int) -> None:
        self.process = process
        """Number of the process among the gateway's, from 1."""
        self._numbers = numbers
        self._processes = processes
        self._lanes = count()
        self._spendings = count()

    def next_lane(self) -> "LaneLoad":
        """Return the figures of one more lane; every process asks for its lanes in one order."""
        number = next(self._lanes)
        if number >= _LANES:
            raise ValueError(f"there are {_LANES} lanes")
        starts = [(process * _LANES + number) * _FIELDS for process in range(self._processes)]
        own = starts.pop(self.process - 1)
        return LaneLoad(self._numbers, own, starts)

    def next_spending(self) -> "Spending":
        """Return one more sum; every process asks for its sums in one order."""
        number = next(self._spendings)
        if number >= _SPENDINGS:
            raise ValueError(f"there are {_SPENDINGS} sums")
        first = self._processes * _LANES * _FIELDS
        starts = [first + (process * _SPENDINGS + number) * 2 for process in range(self._processes)]
        return Spending(self._numbers, starts[self.process - 1], starts)


class Spending:
    """What all processes have spent in a window of time, such as a day; each counts its own."""

    def __init__(self, numbers: Numbers, own: int, all_: list[int]) -> None:
        self._numbers = numbers
        self._own = own
        self._all = all_

    def add(self, window: int, amount: float) -> None:
        """Add to what this process has spent in a window; earlier ones are forgotten."""
        if self._numbers[self._own + _WINDOW] != window:
            self._numbers[self._own + _SPENT] = 0
            self._numbers[self._own + _WINDOW] = window
        self._numbers[self._own + _SPENT] += amount

    def total(self, window: int) -> float:
        """Return what all processes have spent in a window."""
        numbers = self._numbers
        return sum(numbers[at + _SPENT] for at in self._all if numbers[at + _WINDOW] == window)


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
