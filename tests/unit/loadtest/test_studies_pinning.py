"""Cores: while it asks, the whole generator is on its own, and afterwards on all of them."""

import os
import threading
from collections.abc import Iterator

import pytest

from loadtest.errors import InvalidScenario
from loadtest.servers.pinning import pin_cores

CORES = os.sched_getaffinity(0)
pytestmark = pytest.mark.skipif(len(CORES) < 2, reason="one core: nothing can be kept apart")


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
    with pin_cores() as pinning:
        assert pinning.server != pinning.generator
        pinning.start_servers()
        assert os.sched_getaffinity(0) == {pinning.server}
        pinning.start_generator()
        assert os.sched_getaffinity(0) == os.sched_getaffinity(older) == {pinning.generator}
    assert os.sched_getaffinity(0) == os.sched_getaffinity(older) == everywhere


def test_a_generator_without_a_core_of_its_own_shares_those_of_the_servers() -> None:
    everywhere = os.sched_getaffinity(0)
    with pin_cores(len(everywhere)) as pinning:
        pinning.start_servers()
        assert os.sched_getaffinity(0) == everywhere
        pinning.start_generator()
        assert os.sched_getaffinity(0) == everywhere
        assert pinning.as_json() == {
            "server_core": min(everywhere),
            "server_cores": sorted(everywhere),
            "generator_core": None,
        }


def test_more_cores_than_there_are_cannot_be_given_to_servers() -> None:
    with pytest.raises(InvalidScenario, match="more than the"), pin_cores(1 + len(CORES)):
        pass
