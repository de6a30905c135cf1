"""Every input that ever broke a promise stays mended, and a short run finds no new one."""

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fuzz.campaign import (
    ASAN_OPTIONS,
    FOUND,
    INPUT_SECONDS,
    command_of,
    run_targets,
)
from tests.fuzz.covered import find_untouched
from tests.fuzz.oracle import VirtualFile, virtual, watched
from tests.fuzz.seeds import NATIVE, TARGETS, write_seeds

SECONDS = 6
"""Seconds in CI; `make fuzz` takes minutes."""


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_found_and_what_is_sown_keep_every_promise(target: str, tmp_path: Path) -> None:
    program = importlib.import_module(f"tests.fuzz.fuzz_{target}")
    check = watched(program.check, program.PEAK_BYTES, memory_each=1)
    write_seeds(target, tmp_path)
    for path in (*tmp_path.iterdir(), *(FOUND / target).glob("*")):
        check(path.read_bytes())


@pytest.mark.parametrize("target", NATIVE)
def test_what_was_found_in_iipsrv_stays_mended(target: str, tmp_path: Path) -> None:
    write_seeds(target, tmp_path)
    inputs = [*tmp_path.iterdir(), *(FOUND / target).glob("*")]
    done = subprocess.run(
        [*command_of(target), f"-timeout={INPUT_SECONDS}", *map(str, inputs)],
        env=os.environ | {"ASAN_OPTIONS": ASAN_OPTIONS},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:].decode(errors="replace")
    assert done.stderr.count(b"Executed") == len(inputs)


@pytest.mark.parametrize("target", TARGETS)
def test_every_module_that_a_target_is_about_is_run_through(target: str, tmp_path: Path) -> None:
    write_seeds(target, tmp_path)
    assert find_untouched(target, sorted(tmp_path.iterdir())) == set()


def test_a_short_run_finds_nothing_new(tmp_path: Path) -> None:
    found = tmp_path / "found"
    shutil.copytree(FOUND, found)
    for target, figures in run_targets(
        f"-max_total_time={SECONDS}", tmp_path / "corpus", found
    ).items():
        log = (tmp_path / "corpus" / f"{target}.log").read_text(errors="replace")
        assert (figures["exit_status"], figures["findings"]) == (0, []), log[-3_000:]
        assert figures["executions"] > figures["seeds"]


def test_a_broken_promise_is_noticed() -> None:
    def reads_beyond(data: bytes) -> None:
        file = VirtualFile(data)
        file.read(file.size, 1)

    def takes_memory(data: bytes) -> None:
        bytearray(2_000_000)

    with pytest.raises(AssertionError, match="reads 1 at 3 of 3"):
        watched(reads_beyond, 1 << 20)(virtual(b"abc"))
    with pytest.raises(AssertionError, match=r"takes 2,0\d\d,\d\d\d bytes"):
        watched(takes_memory, 1 << 20, memory_each=1)(b"")
