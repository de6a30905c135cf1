"""The one module that prints: lines for people, JSON for machines, both free of control characters.

Nothing is interpreted: neither a terminal's escape sequences nor rich's markup.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from vitrine.visible_text import escape_controls, to_json

_program: ContextVar[str] = ContextVar("program", default="vitrine")


def remember_program(name: str) -> None:
    """Begin messages of this process with that name."""
    _program.set(name)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for people, each at once; an invisible character in one is spelled out."""
    for line in lines:
        print(escape_controls(line), flush=True)


def print_json(document: Any) -> None:
    """Print a document for machines."""
    print(to_json(document), flush=True)


def print_message(sentence: str) -> None:
    """Print a sentence on standard error, after the name of the program that runs."""
    print(f"{_program.get()}: {escape_controls(sentence)}", file=sys.stderr, flush=True)


def print_error_lines(text: str) -> None:
    """Print a message of several lines, such as the end of a log, on standard error."""
    first, *rest = text.split("\n")
    print_message(first)
    for line in rest:
        print(escape_controls(line), file=sys.stderr, flush=True)


class ProgressLines:
    """Prints how much is done on standard error, at most every SECONDS."""

    SECONDS = 10.0

    def __init__(
        self, what: str, total: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what, self._of = what, f" of {total:,}" if total else ""
        self._clock, self._next = clock, clock() + self.SECONDS

    def show(self, done: int) -> None:
        """Print a line if it is time for one."""
        if self._clock() >= self._next:
            self._next = self._clock() + self.SECONDS
            print_message(f"{self._what}: {done:,}{self._of}")


@contextmanager
def show_waiting(text: str) -> Iterator[None]:
    """Show `text` on a terminal while the block runs; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(escape_controls(text))):
        yield


@contextmanager
def show_count(what: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows a count of `what` on a terminal; elsewhere it does nothing."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} " + what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done: bar.update(task, completed=done)
