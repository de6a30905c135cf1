"""Parts of objects that stay damaged however often they are fetched."""

import time
from collections.abc import Callable, Iterable

from vitrine.deliver.pyramids.pauses import Pauses
from vitrine.errors import DamagedAccessMaster

MAX_OBJECTS = 256


class Quarantine:
    """Remembers what of which object is damaged, and leaves it alone for growing pauses.

    An object is its key and its ETag, so that one that takes its place starts afresh.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._pauses = Pauses(clock)
        self._offsets: dict[str, set[int]] = {}

    def hold(self, name: str, offsets: Iterable[int]) -> None:
        """Note that the parts of object `name` at these offsets are damaged in the store."""
        if len(self._offsets) >= MAX_OBJECTS:
            self._offsets.clear()
        held = self._offsets.setdefault(name, set())
        for offset in offsets:
            held.add(offset)
            self._pauses.lengthen(f"{name} {offset}")

    def check(self, name: str, offsets: Iterable[int]) -> None:
        """Raise DamagedAccessMaster while one of the parts is to be left alone."""
        held = self._offsets.get(name)
        if not held:
            return
        for offset in held.intersection(offsets):
            if not self._pauses.allow(f"{name} {offset}"):
                raise DamagedAccessMaster("the access master is damaged: a part of it is unusable")
