"""Fakes that break on purpose do so, and only so often."""

import time

import pytest

from vitrine.adapters.memory.faults import Breaking, Slow
from vitrine.adapters.memory.messaging import MemoryPipeline
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
