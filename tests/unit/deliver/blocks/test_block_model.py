"""The block cache against a dictionary of all versions: bytes are of the version that it says."""

import asyncio
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.rigs.clock import Clock
from tests.unit.deliver.blocks.block_store import (
    BLOCK,
    NotingStore,
    disk_bytes,
    opened,
    settled,
)
from vitrine.deliver.blocks import cache as blocks_cache
from vitrine.deliver.blocks import source
from vitrine.errors import Replaced, TransientError, Unavailable
from vitrine.ports import ObjectPart

pytestmark = pytest.mark.slow

BUDGET = 12 * (BLOCK + 1024)
REVALIDATED_SECONDS = 70
"""After which an object in use has been compared with the store's."""
KEYS = st.sampled_from(["a", "b", "c"])
SIZES = st.sampled_from([0, 1, BLOCK, BLOCK + 1, 5 * BLOCK, 30 * BLOCK + 777])
READS = st.tuples(
    KEYS, st.integers(0, 31 * BLOCK), st.sampled_from([1, 100, BLOCK, 3 * BLOCK, 4 * BLOCK + 1])
)


class TroubledStore(NotingStore):
    """Has the next reads fail or end early, as `faults` says."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def read(
        self, key: str, start: int, length: int, *, version: str = "", if_etag: str = ""
    ) -> ObjectPart:
        part = super().read(key, start, length, version=version, if_etag=if_etag)
        trouble = self.faults.pop() if self.faults else ""
        if trouble == "fails":
            raise TransientError("the store is busy")
        return (
            ObjectPart(part.data[: len(part.data) // 2], part.etag, part.size) if trouble else part
        )


class Cache(RuleBasedStateMachine):
    """A cache that is far too small, and `versions`: every body that a key had, by its ETag."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.directory = Path(self.folder.name)
        self.runner = asyncio.Runner()
        self.store, self.clock = TroubledStore(), Clock()
        self.versions: dict[str, dict[str, bytes]] = {"a": {}, "b": {}, "c": {}}
        self.opening = opened(self.store, self.directory, BUDGET, self.clock)
        self.cache = self.runner.run(self.opening.__aenter__())

    @initialize()
    def begin(self) -> None:
        for key in self.versions:
            self.publish(key, 5 * BLOCK)

    @rule(key=KEYS, size=SIZES)
    def publish(self, key: str, size: int) -> None:
        """Replace an object. The model knows the version before the store has it."""
        seed = len(self.versions[key])
        apart = NotingStore()
        body = apart.fill(key, size, seed)
        self.versions[key][apart.versions_etag(key)] = body
        self.store.fill(key, size, seed)

    @rule(faults=st.lists(st.sampled_from(["fails", "ends early"]), min_size=1, max_size=6))
    def trouble(self, faults: list[str]) -> None:
        self.store.faults += faults

    @rule(seconds=st.sampled_from([1, 30, REVALIDATED_SECONDS]))
    def pass_time(self, seconds: int) -> None:
        self.clock.now += seconds

    @rule(
        reads=st.lists(READS, min_size=1, max_size=8), replaced=st.none() | st.tuples(KEYS, SIZES)
    )
    def read(self, reads: list[tuple[str, int, int]], replaced: tuple[str, int] | None) -> None:
        """Read all at once; if so, an object is replaced before the first read of the store."""

        def replace() -> None:
            self.store.before_read = lambda: None
            if replaced:
                self.publish(*replaced)

        async def read_all() -> None:
            await asyncio.gather(*(self._compare(*one) for one in reads))

        self.store.before_read = replace
        self.runner.run(read_all())
        self.store.before_read = lambda: None

    async def _compare(self, key: str, offset: int, length: int) -> None:
        try:
            file = await self.cache.file(key)
            expected = self.versions[key][file.etag][offset : offset + length]
            assert file.peek(offset, length) in (None, expected)
            assert await file.read(offset, length) == expected
            if expected:  # a range outside of the object pins nothing
                async with file.pinned([(offset, length)]) as path:
                    assert path.read_bytes()[offset : offset + length] == expected
        except (Unavailable, Replaced):
            pass  # says so, and shows nothing

    @rule(key=KEYS)
    def read_the_newest(self, key: str) -> None:
        """Without trouble, the whole of the newest version can be read once it was compared."""
        self.store.faults.clear()
        self.clock.now += 2 * REVALIDATED_SECONDS

        async def read_whole() -> None:
            await self.cache.file(key)
            await settled(self.cache)
            file = await self.cache.file(key)
            assert file.etag == self.store.versions_etag(key)
            body = self.versions[key][file.etag]
            for offset in range(0, len(body), 4 * BLOCK):
                assert await file.read(offset, 4 * BLOCK) == body[offset : offset + 4 * BLOCK]

        self.runner.run(read_whole())

    @invariant()
    def budget_holds(self) -> None:
        assert self.cache.used_bytes <= BUDGET
        assert disk_bytes(self.directory) <= BUDGET

    def teardown(self) -> None:
        self.store.faults.clear()
        self.runner.run(self.opening.__aexit__(None, None, None))
        self.runner.close()
        self.folder.cleanup()


def test_no_bytes_of_one_version_are_given_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = partial(source.RangeSource, pauses_seconds=(0.001, 0.001))
    monkeypatch.setattr(blocks_cache, "RangeSource", impatient)
    run_state_machine_as_test(Cache, settings=settings(max_examples=40, stateful_step_count=20))
