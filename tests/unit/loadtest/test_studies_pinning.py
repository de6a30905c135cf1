"""Cores: while it asks, the whole generator is on its own, and afterwards on all of them."""

import os
import threading
from collections.abc import Iterator

import pytest

from loadtest.rigs.pinning import pinned

pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="one core: nothing can be kept apart"
)


@pytest.fixture
def older() -> Iterator[int]:
    """A thread that was there before, as libvips's are."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    assert thread.native_id
    yield thread.native_id
    end.set()
    thread.join()


def test_threads_that_were_there_before_stay_on_the_generators_core(older: int) -> None:
    everywhere = os.sched_getaffinity(0)
    with pinned() as pinning:
        assert pinning.server != pinning.generator
        pinning.start_servers()
        assert os.sched_getaffinity(0) == {pinning.server}
        pinning.start_generator()
        assert os.sched_getaffinity(0) == os.sched_getaffinity(older) == {pinning.generator}
    assert os.sched_getaffinity(0) == os.sched_getaffinity(older) == everywhere
