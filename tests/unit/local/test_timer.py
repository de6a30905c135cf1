"""The timer begins what is due, notes how it ended, and is stopped by nothing that fails."""

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vitrine.local import timer
from vitrine.local.process import start, stop
from vitrine.local.schedules import (
    SCHEDULES,
    note_run,
    read_runs,
    read_schedules,
    write_schedules,
)
from vitrine.sources.updates.schedule import Schedule, UpdateRun, due

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
BEGUN = "2026-11-24T06:00:00.000Z"


def scheduled(*schedules: Schedule) -> dict[str, Schedule]:
    return {one.rules: one for one in schedules}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of `vitrine` that notes its arguments, and fails for bad.toml."""
    path = tmp_path / "vitrine"
    path.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys\n"
        "calls = pathlib.Path(__file__).with_name('calls')\n"
        "calls.open('a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "'bad' in sys.argv[3] and sys.exit('one\\nvitrine: it is gone')\n"
    )
    path.chmod(0o755)
    monkeypatch.setattr(timer, "VITRINE", path)
    return path.with_name("calls")


@pytest.mark.parametrize(
    ("run", "is_due"),
    [
        (None, True),
        (UpdateRun(begun=BEGUN, exit_code=0), True),
        (UpdateRun(begun="2026-11-24T06:00:01.000Z", exit_code=0), False),
        (UpdateRun(begun="2026-11-24T06:00:01.000Z", exit_code=2), False),
        (UpdateRun(begun="2026-11-24T11:59:00.000Z"), True),
    ],
    ids=["never", "long ago", "lately", "failed lately", "stopped"],
)
def test_what_was_never_updated_or_long_ago_or_stopped_is_due(
    run: UpdateRun | None, is_due: bool
) -> None:
    schedule = Schedule(rules="/books.toml", hours=6)
    runs = {"/books.toml": run} if run else {}
    assert due(scheduled(schedule), runs, NOON) == ([schedule] if is_due else [])


def test_each_that_is_due_is_updated_once_although_one_fails(tmp_path: Path, program: Path) -> None:
    bad = Schedule(rules="/bad.toml", hours=6)
    write_schedules(tmp_path, scheduled(bad, Schedule(rules="/b.toml", hours=24, private_too=True)))
    moment = datetime.now(UTC)
    for _ in range(2):
        timer.update_due(tmp_path, moment)
    assert program.read_text().splitlines() == [
        "collection update /bad.toml",
        "collection update /b.toml --private-too",
    ]
    runs = read_runs(tmp_path)
    assert (runs["/bad.toml"].exit_code, runs["/bad.toml"].said) == (1, "vitrine: it is gone")
    assert (runs["/b.toml"].exit_code, runs["/b.toml"].said) == (0, "")
    timer.update_due(tmp_path, moment + timedelta(hours=7))
    assert len(program.read_text().splitlines()) == 3


def test_runs_of_what_left_the_schedule_are_forgotten(tmp_path: Path) -> None:
    write_schedules(tmp_path, scheduled(Schedule(rules="/a.toml", hours=1)))
    note_run(tmp_path, "/a.toml", UpdateRun(begun=BEGUN))
    write_schedules(tmp_path, scheduled(Schedule(rules="/b.toml", hours=1)))
    note_run(tmp_path, "/b.toml", UpdateRun(begun=BEGUN))
    assert read_runs(tmp_path).keys() == {"/b.toml"}


def test_damaged_schedules_are_logged_and_the_timer_goes_on(tmp_path: Path) -> None:
    (tmp_path / SCHEDULES).write_text("[{")
    with pytest.raises(OSError, match="is damaged: remove it"):
        read_schedules(tmp_path)
    variables = {"VITRINE_LOCAL_DIRECTORY": str(tmp_path)}
    running = start(timer.timer_process(tmp_path, variables), tmp_path)
    try:
        deadline = datetime.now(UTC) + timedelta(seconds=30)
        while "is damaged" not in running.last_lines() and datetime.now(UTC) < deadline:
            assert running.alive, running.last_lines()
            time.sleep(0.05)
        assert "The schedules cannot be read or noted" in running.last_lines()
        assert running.alive
    finally:
        assert stop(running, tmp_path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    schedules = scheduled(Schedule(rules="/a.toml", hours=3, private_too=True))
    write_schedules(tmp_path, schedules)
    assert read_schedules(tmp_path) == schedules
    assert json.loads((tmp_path / SCHEDULES).read_text())[0]["hours"] == 3
