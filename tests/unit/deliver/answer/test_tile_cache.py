"""nginx keeps a tile for no longer than the gateway itself trusts the record."""

import os
from pathlib import Path

import pytest

from tests.unit.deliver.answer.gateway_bench import IMAGE, TILE, Bench
from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.tile_cache import LEAST_SECONDS, TileCache


@pytest.mark.parametrize("seconds", [20.0, 9.99, LEAST_SECONDS + 1, 3.5])
def test_a_tile_is_kept_until_its_record_is_read_again(seconds: float) -> None:
    cache = TileCache(DerivativeDisk(Path("/")), is_on=True)
    name, _, kept = cache.life(seconds).decode().partition(": ")
    assert (name, kept[-2:]) == ("x-accel-expires", "\r\n")
    assert seconds - 2 < int(kept) <= seconds - 1, "nginx uses it to the end of its last second"


@pytest.mark.parametrize("seconds", [0.0, 1.0, 2.99, -5.0])
def test_a_tile_that_could_be_kept_for_a_moment_only_is_not(seconds: float) -> None:
    assert TileCache(DerivativeDisk(Path("/")), is_on=True).life(seconds) == b""


def test_no_tile_is_kept_on_a_disk_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.statvfs_result((4096, 4096, 1000, 100, 100, 1000, 900, 900, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: full)
    assert TileCache(DerivativeDisk(Path("/")), is_on=True).life(20) == b""


def test_only_a_tile_that_needs_no_wait_is_kept() -> None:
    first, again = Bench(tile_cache_mebibytes=1).ask_both(TILE)
    assert again
    assert ("x-accel-expires", "18") in again.headers, "20 s, two thirds of the record's lifetime"
    assert "x-accel-expires" not in dict(first.headers)
    assert "x-accel-expires" not in dict(Bench(tile_cache_mebibytes=1).ask(IMAGE).headers)
    _, without = Bench(tile_cache_mebibytes=0).ask_both(TILE)
    assert without
    assert "x-accel-expires" not in dict(without.headers)
