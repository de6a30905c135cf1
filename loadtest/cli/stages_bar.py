"""The bar that shows the progress of a load test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from loadtest.workload.scenario import Scenario


@contextmanager
def stages_bar(
    scenario: Scenario, users: tuple[int, ...], seconds: float
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Show a bar on standard error over the time of all stages; a list has no known end."""
    stages, length = users or scenario.users, seconds or scenario.seconds
    columns = (
        TextColumn("{task.description:10}"),
        BarColumn(),
        TextColumn("{task.fields[requests]:,} requests, {task.fields[failures]:,} failures"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        total = None if scenario.options.ends else length * len(stages)
        task = bar.add_task("starting", total=total, requests=0, failures=0)
        names = [f"{number} users" for number in stages]

        def follow(line: dict[str, Any]) -> None:
            stage = line["stage"]
            before = names.index(stage) * length if stage in names else 0
            bar.update(
                task,
                description=stage,
                completed=before + min(line["seconds"], length),
                requests=line["requests"],
                failures=line["failures"],
            )

        yield follow
