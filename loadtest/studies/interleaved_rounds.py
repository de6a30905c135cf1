"""The runner of interleaved rounds: turns, warm-up, progress, and what an interruption leaves.

Figures of different servers are only compared when they were measured in turns, so that whatever
else the machine does meets all of them alike. Each round begins with another server, so that none
is always the one that follows the same other.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from loadtest.client.user_load import Load, Progress, send_each
from loadtest.figures.request_figures import Row, count_faults
from loadtest.servers.pinning import Pinning
from loadtest.workload.target import Target
from vitrine.errors import VitrineError
from vitrine.local.process import ProcessDied

Item = TypeVar("Item")
Say = Callable[[str], None]
Watch = Callable[[str], Progress]
"""Returns, for the name of a round, the function to call with its progress."""


def rotate_items(items: Sequence[Item], number: int) -> tuple[Item, ...]:
    """Return the order of the items in round `number`: each round begins with another."""
    first = number % len(items) if items else 0
    return (*items[first:], *items[:first])


def interleave_turns(items: Sequence[Item], rounds: int) -> Iterator[tuple[int, Item]]:
    """Yield (number of the round, item): every item once in each round."""
    for number in range(1, rounds + 1):
        for item in rotate_items(items, number):
            yield number, item


@dataclass
class StudyRun:
    """One run of a study: whether it came to its end, and what stopped it if not."""

    say: Say
    watch: Watch
    pinning: Pinning
    complete: bool = True
    stopped_by: str = ""
    """Server that died; "" after Ctrl-C."""

    @contextmanager
    def keep_partial(self, *tables: Sequence[Row]) -> Iterator[None]:
        """End the `with` block at Ctrl-C or when a server dies, and note why.

        The error goes on where all `tables` are empty: nothing was measured that could be kept.
        """
        try:
            yield
        except (KeyboardInterrupt, ProcessDied) as error:
            if not any(tables):
                raise
            self.complete, self.stopped_by = False, str(error)

    def as_json(self) -> dict[str, Any]:
        """Return how the study ended and which cores it used."""
        return {
            "complete": self.complete,
            "stopped_by": self.stopped_by,
            "pinned": self.pinning.as_json(),
        }


def keep_row(table: list[Row], row: Row) -> None:
    """Add a row. Raises KeyboardInterrupt when the row says that it was interrupted."""
    table.append(row)
    if not row["complete"]:
        raise KeyboardInterrupt


def load_figures(load: Load) -> Row:
    """Return what the row of a round says of its load."""
    return {
        "complete": load.complete,
        "seconds": round(load.seconds, 3),
        "generator_cores": round(load.generator, 3),
        "client_bound": load.client_bound,
        "decoded": load.decoded,
        "failed": count_faults(load.answers),
    }


def warm_up(
    name: str, url: str, targets: Iterable[Target], clients: int, progress: Progress
) -> Row:
    """Request each target once, so that caches are warm and a broken server is found now.

    Returns requests, failures and the commonest faults. Raises VitrineError when no answer is
    right, KeyboardInterrupt when interrupted.
    """
    load = send_each(url, targets, clients, progress)
    if not load.complete:
        raise KeyboardInterrupt
    faults = count_faults(load.answers)
    if faults and all(answer.fault for answer in load.answers):
        raise VitrineError(f"{name} gives no right answer: {faults[0]['fault']}")
    failures = sum(bool(answer.fault) for answer in load.answers)
    return {"requests": len(load.answers), "failures": failures, "failed": faults}
