"""Fakes fail on the selected calls, and on no others."""

import time

import pytest

from vitrine.adapters.memory.faults import Breaking, Short, Slow
from vitrine.adapters.memory.messaging import MemoryPipeline
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError


def test_a_breaking_port_works_after_its_failures() -> None:
    pipeline = Breaking(MemoryPipeline(), times=2)
    for _ in range(2):
        with pytest.raises(TransientError):
            pipeline.start("a", {})
    assert pipeline.start("a", {})


def test_a_slow_port_waits() -> None:
    begun = time.monotonic()
    assert Slow(MemoryPipeline(), seconds=0.02).start("a", {})
    assert time.monotonic() - begun >= 0.02


def test_a_port_may_break_again_and_again() -> None:
    pipeline = Breaking(MemoryPipeline(), every=2)
    for name in ("a", "b"):
        assert pipeline.start(name, {})
        with pytest.raises(TransientError):
            pipeline.start(name, {})


def test_a_short_store_returns_half() -> None:
    memory = MemoryObjectStore()
    memory.put("a", b"123456", content_type="")
    store = Short(memory, times=1)
    assert store.read("a", 0, 4).data == b"12"
    assert store.read("a", 0, 4).data == b"1234"
    assert store.head("a").size == 6
