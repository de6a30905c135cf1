"""What `vitrine ingest` shows: a bar for each master in flight, and results as they come."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from vitrine.cli.console.printing import print_lines
from vitrine.cli.console.record_words import describe_code
from vitrine.cli.upload.follow import Followed
from vitrine.visible_text import escape_controls


class MasterProgress(Protocol):
    """The display of one master in flight; its methods are called from any thread."""

    def show_bytes(self, count: int) -> None:
        """Add uploaded bytes."""
        ...

    def show_stage(self, name: str) -> None:
        """Show what happens to it now."""
        ...

    def end(self) -> None:
        """Take it off the display."""
        ...


class NoProgress:
    """The display where there is no terminal."""

    def show_bytes(self, count: int) -> None:
        """Show nothing."""

    def show_stage(self, name: str) -> None:
        """Show nothing."""

    def end(self) -> None:
        """Show nothing."""


class Bars:
    """Bars on a terminal, whose clocks run until the image is published; elsewhere nothing."""

    def __init__(self, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._bars: Any = None if quiet or not sys.stderr.isatty() else _new_bars(clock)

    def __enter__(self) -> "Bars":
        if self._bars:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars:
            self._bars.stop()

    def begin(self, name: str, size: int) -> MasterProgress:
        """Show one more master of `size` bytes."""
        return _UploadBar(self._bars, name, size) if self._bars else NoProgress()


class _UploadBar:
    def __init__(self, bars: Any, name: str, size: int) -> None:
        self._bars = bars
        self._task = bars.add_task(escape_controls(name), total=size, stage="uploading")

    def show_bytes(self, count: int) -> None:
        self._bars.update(self._task, advance=count)

    def show_stage(self, name: str) -> None:
        self._bars.update(self._task, stage=name)

    def end(self) -> None:
        self._bars.remove_task(self._task)


def _new_bars(clock: Callable[[], float]) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TextColumn("{task.fields[stage]}"),
        # rich's own clock stops when the bar is full, which is when the conversion begins
        TextColumn("{task.elapsed:.0f} s"),
        console=Console(stderr=True),
        transient=True,
        get_time=clock,
        redirect_stdout=sys.stdout.isatty(),
    )


def print_result(result: Followed) -> None:
    """Print what became of one file."""
    print_lines(_lines(result))


def _lines(result: Followed) -> Iterator[str]:
    if result.state == "published":
        yield f"{result.file}: published as {result.identifier} in {result.seconds:.1f} s"
        yield f"  {result.info_url}"
        yield from (f"  note: {note}" for note in result.notes)
        return
    yield f"{result.file}: {result.state} after {result.seconds:.1f} s"
    yield f"  {result.sentence}"
    if result.code:
        yield f"  {describe_code(result.code, result.value)}"
