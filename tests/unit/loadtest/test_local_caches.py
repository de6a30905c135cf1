"""Caches of the running service are emptied of what is kept, and of nothing else."""

from pathlib import Path

import pytest

from loadtest.servers.local_caches import clear_derivatives, clear_edge
from vitrine.local import task

KEPT = "b7f54b2df7773722d382f4809d65029c"


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the service's task in what stands for memory."""
    monkeypatch.setattr(task, "MEMORY", tmp_path / "memory")
    return task.memory_folder(tmp_path / "task")


def test_what_the_edge_keeps_goes_and_what_it_writes_stays(tmp_path: Path, memory: Path) -> None:
    kept = write(tmp_path / "edge/cache/c/29" / KEPT)
    writing = write(tmp_path / "edge/cache/c/29" / f"{KEPT}.0000000001")
    derivative = write(memory / "answers/derivatives/c/29" / KEPT)
    assert clear_edge(tmp_path) == 1
    assert not kept.exists()
    assert writing.exists()
    assert derivative.exists()


def test_derivatives_go_and_access_masters_stay(tmp_path: Path, memory: Path) -> None:
    kept = write(memory / "answers/derivatives/c/29" / KEPT)
    block = write(tmp_path / "task/work/cache/1" / f"{KEPT}-1.tif")
    assert clear_derivatives(tmp_path) == 1
    assert not kept.exists()
    assert block.exists()


def test_a_service_that_keeps_nothing_yet_is_no_error(tmp_path: Path) -> None:
    assert clear_edge(tmp_path) + clear_derivatives(tmp_path) == 0
