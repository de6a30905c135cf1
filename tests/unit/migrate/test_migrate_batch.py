"""A batch of masters: all are tried, however often and with whatever ends it is called."""

import json
from threading import Barrier
from typing import Any

import pytest

from tests.patience import SECONDS
from tests.unit.migrate.museum import BROKEN, EARLY, Museum
from vitrine.errors import (
    IngestUnfinished,
    NotMigrated,
    ServiceRefused,
    TransientError,
    VitrineError,
)
from vitrine.ingest.messages import IngestMaster
from vitrine.migrate.messages import MASTERS_AT_ONCE, MigrateBatch
from vitrine.migrate.migrate_batch import BATCH_SECONDS, BatchClock, migrate_batch

KEYS = [f"map-{number:02}.tif" for number in range(20)]
COMMON = {"begun_at": EARLY, "tried_at": EARLY, "tolerated_percent": 5.0}
COMMON |= {"at_once": 0, "most_at_once": 4}


class Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class AllWaiting(Clock):
    """A clock that is at the end of a batch's time once this many sleep."""

    def __init__(self, sleepers: int) -> None:
        super().__init__()
        self._all = Barrier(sleepers, timeout=SECONDS)

    def sleep(self, seconds: float) -> None:
        self._all.wait()
        self.now = BATCH_SECONDS


def migrate(museum: Museum, clock: Clock | None = None, **common: Any) -> dict[str, int]:
    clock = clock or Clock()
    items = [{"key": key, "identifier": key[:-4].upper()} for key in KEYS]
    batch = MigrateBatch.from_json({"Items": items, "BatchInput": COMMON | common})
    time = BatchClock(read=lambda: clock.now, sleep=clock.sleep)
    return dict(migrate_batch(museum.ingest, batch, time))


def fill(museum: Museum, broken: int = 0) -> None:
    for number, key in enumerate(KEYS):
        museum.put(key, BROKEN if number < broken else b"1")


def test_a_batch_ends_when_all_of_its_masters_have(museum: Museum) -> None:
    fill(museum, broken=2)
    museum.masters.delete(KEYS[-1])
    assert migrate(museum) == {"rejected": 2, "missing": 1, "published": 17}


@pytest.mark.parametrize(("at_once", "most"), [(0, 4), (3, 3), (40, 4)])
def test_no_more_are_in_progress_than_command_and_environment_allow(
    museum: Museum, at_once: int, most: int
) -> None:
    """None ends, so each that was begun keeps its slot; what was not begun waits its turn."""
    fill(museum)
    museum.pipeline.held = True
    for _ in range(2):
        with pytest.raises(IngestUnfinished):
            migrate(museum, AllWaiting(most), at_once=at_once)
        assert len(museum.pipeline.executions) == most


def test_a_batch_that_was_cut_off_goes_on_where_it_was(museum: Museum) -> None:
    fill(museum)
    museum.pipeline.held = True
    with pytest.raises(IngestUnfinished):
        migrate(museum, AllWaiting(4))
    begun = list(museum.pipeline.executions.values())
    museum.pipeline.held = False
    for request in begun:
        museum.pipeline.run(IngestMaster.from_json(dict(request)))
    assert migrate(museum) == {"published": 20}
    assert len(museum.pipeline.executions) == 20
    assert sorted(museum.pipeline.converted) == KEYS


def test_one_ingest_of_hours_is_looked_at_rarely_and_left_in_time(museum: Museum) -> None:
    fill(museum)
    museum.pipeline.held = True
    clock = Clock()
    with pytest.raises(IngestUnfinished):
        migrate(museum, clock, at_once=1)
    assert clock.now <= BATCH_SECONDS
    assert len(clock.slept) < 30
    assert clock.slept[1:-1] == sorted(clock.slept[1:-1])
    assert len(museum.pipeline.executions) == 1


@pytest.mark.parametrize(
    ("tolerated", "broken", "fails"),
    [(0, 0, False), (0, 1, True), (1, 2, False), (1, 3, True), (5, 10, False), (99, 11, True)],
)
def test_a_batch_has_failed_if_it_is_far_worse_than_the_migration_may_be(
    museum: Museum, tolerated: float, broken: int, fails: bool
) -> None:
    fill(museum, broken)
    if not fails:
        assert migrate(museum, tolerated_percent=tolerated).get("rejected", 0) == broken
        return
    with pytest.raises(NotMigrated) as raised:
        migrate(museum, tolerated_percent=tolerated)
    assert json.loads(str(raised.value)) == {"rejected": broken, "published": 20 - broken}


@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        ({3: ServiceRefused("no")}, ServiceRefused),
        ({3: ServiceRefused("no"), 7: TransientError("later")}, TransientError),
        (
            {3: ServiceRefused("no"), 7: IngestUnfinished(""), 8: TransientError("")},
            IngestUnfinished,
        ),
    ],
)
def test_an_error_of_one_master_keeps_no_other_from_its_turn(
    museum: Museum,
    monkeypatch: pytest.MonkeyPatch,
    errors: dict[int, VitrineError],
    raised: type[VitrineError],
) -> None:
    fill(museum)
    head = museum.masters.head

    def fail_or_head(key: str) -> Any:
        error = errors.get(KEYS.index(key))
        if error:
            raise error
        return head(key)

    monkeypatch.setattr(museum.masters, "head", fail_or_head)
    with pytest.raises(raised):
        migrate(museum)
    assert len(museum.pipeline.converted) == 20 - len(errors)
    monkeypatch.undo()
    assert migrate(museum) == {"published": 20}
    assert len(museum.pipeline.executions) == 20


def test_an_environment_decides_how_many_are_in_progress_if_the_command_does_not() -> None:
    common = COMMON | {"most_at_once": 999}
    assert MigrateBatch.from_json({"Items": [], "BatchInput": common}).at_once == MASTERS_AT_ONCE
