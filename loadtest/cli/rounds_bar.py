"""The line that shows what a study is doing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@contextmanager
def rounds_bar() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Yield a function that begins a round by its name and returns one that counts.

    The latter takes the number of requests so far, and how many of their answers were wrong.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.fields[requests]:,} requests, {task.fields[failures]:,} failures"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, requests=0, failures=0)

        def begin(name: str) -> Callable[[int, int], None]:
            bar.update(task, description=name, requests=0, failures=0)
            return lambda requests, failures: bar.update(task, requests=requests, failures=failures)

        yield begin
