"""Independent runs on all cores, with a progress bar where there is time to watch one."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE_SECONDS = 2.0

Task = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of a module, and its arguments."""


def run_all(
    tasks: Sequence[Task],
    label: str,
    workers: int | None = None,
) -> tuple[list[Any], float]:
    """Return what each task returns, in their order, and the CPU seconds of all.

    Results depend on the tasks alone, never on how many workers there are (None: one per core;
    1: this process). Tasks that take long should stand first. The bar goes to standard error, and
    only to a terminal.
    """
    results: list[Any] = [None] * len(tasks)
    spent = 0.0
    with _Bar(label, len(tasks)) as bar:
        for place, (result, seconds) in _run_parallel(tasks, workers):
            results[place] = result
            spent += seconds
            bar.advance()
    return results, spent


def _run_parallel(
    tasks: Sequence[Task], workers: int | None
) -> Iterator[tuple[int, tuple[Any, float]]]:
    if workers == 1:
        yield from ((place, _time_task(*task)) for place, task in enumerate(tasks))
        return
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        futures = {pool.submit(_time_task, *task): place for place, task in enumerate(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _time_task(task: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, float]:
    started = time.process_time()
    result = task(*arguments)
    return result, time.process_time() - started


class _Bar:
    """Appears when there is still work after `PATIENCE_SECONDS`."""

    def __init__(self, label: str, total: int) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._progress = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._progress.add_task(label, total=total)
        self._appears = time.monotonic() + PATIENCE_SECONDS

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self) -> None:
        """Note that one task is done."""
        if time.monotonic() > self._appears:
            self._progress.start()
        self._progress.advance(self._task)
