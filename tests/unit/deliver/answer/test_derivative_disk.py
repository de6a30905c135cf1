"""Nobody is sent to a cache of derivatives that nginx cannot write."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.deliver.answer.gateway_bench import NAMED, Bench
from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.http.faults import Faults

Change = Callable[..., None]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Change:
    """Let the file system say what the test wants."""
    true = os.statvfs(tmp_path)
    said = {"f_flag": 0, "f_bavail": 10**9, "f_files": 10**6, "f_favail": 10**6}

    class Stat:
        f_frsize = true.f_frsize

        def __getattr__(self, name: str) -> int:
            return said[name]

    monkeypatch.setattr(os, "statvfs", lambda path: Stat())
    return lambda **changes: said.update(changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"f_flag": os.ST_RDONLY}, "is read-only"),
        ({"f_bavail": 100}, "has no room left"),
        ({"f_favail": 6}, "can hold no more files"),
    ],
)
def test_a_derivative_is_answered_at_once_while_nginx_can_keep_none(
    disk: Change, changes: dict[str, int], reason: str
) -> None:
    bench = Bench(derivative_cache_mebibytes=1)
    assert "x-accel-redirect" in dict(bench.ask(NAMED).headers)
    name = dict(bench.ask(NAMED).headers)["x-accel-redirect"]
    disk(**changes)
    answer = bench.ask(NAMED)
    assert (answer.status, answer.body) == (200, b"full/300,231/0/default.jpg")
    assert "x-accel-redirect" not in dict(answer.headers)
    late = bench.ask(NAMED, x_derivative=name)
    assert dict(late.headers)["x-accel-expires"] == "0", "one that nginx has begun is not kept"
    watch = DerivativeDisk(Path("/"))
    assert not watch.is_writable()
    assert watch.problem == reason


def test_the_disk_is_looked_at_again_and_counted(disk: Change) -> None:
    now, faults = 100.0, Faults()
    watch = DerivativeDisk(Path("/"), faults.report, lambda: now)
    disk(f_favail=0)
    assert not watch.is_writable()
    disk(f_favail=10**6)
    assert not watch.is_writable()
    now += 1
    assert watch.is_writable()
    assert faults.counts() == {"derivative-cache-unwritable": 1}


def test_a_file_system_that_counts_no_files_is_no_full_one(disk: Change) -> None:
    disk(f_files=0, f_favail=0)
    assert DerivativeDisk(Path("/")).is_writable()
