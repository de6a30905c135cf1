"""Several processes that change identifiers at once, stopped before every call of a port."""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.rigs import records
from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import VitrineError
from vitrine.identify.journal import Journal
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Register
from vitrine.identify.resolve import MAX_CHAIN_LENGTH, Resolution, resolve
from vitrine.records import Live, Record, Redirect

Actor = Callable[[Redirects], Any]


def live(identifier: str, master_key: str = "", revision: int = 1) -> Live:
    """An image of one pixel."""
    key = master_key or f"{identifier}.tif"
    return records.live(identifier, revision=revision, master_key=key)


def redirect(identifier: str, target: str, revision: int = 1) -> Redirect:
    """A redirect in the table."""
    return Redirect(identifier=identifier, revision=revision, target=target, changed_at="2026")


class World:
    """A register in memory, with an index that may lag by some changes of the table."""

    def __init__(self, *records: Record, lag: int = 0) -> None:
        self.table = MemoryIdentifierTable(*records)
        self.store = MemoryObjectStore()
        self.bus = MemoryEventBus()
        self._lag = lag
        self._pasts: list[list[Redirect]] = []

    def redirects(self, stop: Callable[[], None] = lambda: None) -> Redirects:
        """Return the redirects as one process sees them; `stop` runs before every use of a port."""
        table: Any = _Stopping(self.table, stop, {"redirects_to": self._lagging})
        journal = Journal(_Stopping(self.store, stop, {}))
        return Redirects(Register(table, journal, self.bus))

    def remember(self) -> None:
        """Keep the current redirects, which a lagging index shows later."""
        self._pasts.append(list(self.table.redirects()))

    def answer(self, identifier: str) -> Resolution:
        """Return what a reader with an empty cache gets."""
        record = end = self.table.get(identifier)
        for _ in range(MAX_CHAIN_LENGTH):
            if isinstance(end, Redirect):
                end = self.table.get(end.target)
        return resolve(record, end)

    def chains(self) -> list[str]:
        """Return the redirects that lead to another redirect."""
        found = self.table.redirects()
        return [item.identifier for item in found if isinstance(self._target(item), Redirect)]

    def _target(self, item: Redirect) -> Record | None:
        return self.table.get(item.target)

    def _lagging(self, target: str) -> Iterator[Redirect]:
        if not self._lag:
            return self.table.redirects_to(target)
        past = self._pasts[-self._lag] if len(self._pasts) >= self._lag else []
        return (item for item in past if item.target == target)


class _Stopping:
    def __init__(self, port: Any, stop: Callable[[], None], instead: dict[str, Any]) -> None:
        self._port, self._stop, self._instead = port, stop, instead

    def __getattr__(self, name: str) -> Any:
        method = self._instead.get(name) or getattr(self._port, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self._stop()
            return method(*arguments, **named)

        return call


class _Turn(threading.Thread):
    """One actor, which moves from one stop to the next when `move` is called."""

    def __init__(self, world: World, actor: Actor) -> None:
        super().__init__(daemon=True)
        self._go, self._paused = threading.Semaphore(0), threading.Semaphore(0)
        self._work = lambda: actor(world.redirects(self._pause))
        self.result: Any = None
        self.start()

    def run(self) -> None:
        self._go.acquire()
        try:
            self.result = self._work()
        except VitrineError as error:
            self.result = error
        finally:
            self.ended = True
            self._paused.release()

    ended = False

    def _pause(self) -> None:  # not `_stop`: Python calls a thread's own of that name after a fork
        self._paused.release()
        self._go.acquire()

    def move(self) -> None:
        self._go.release()
        self._paused.acquire()


def interleave(
    world: World, actors: Sequence[Actor], seed: int, look: Callable[[], None]
) -> list[Any]:
    """Run all actors to their end, in an order given by `seed`; return their results or errors.

    `look` is called after every step.
    """
    rng = random.Random(seed)
    turns = [_Turn(world, actor) for actor in actors]
    while moving := [turn for turn in turns if not turn.ended]:
        rng.choice(moving).move()
        world.remember()
        look()
    return [turn.result for turn in turns]
