"""What every UseCounter promises."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.backends import Backend
from vitrine.ports import UseCounter


@pytest.fixture
def uses(backend: Backend) -> UseCounter:
    return backend.uses()


def test_each_name_is_counted_by_itself(uses: UseCounter) -> None:
    expires = int(time.time()) + 3_600
    assert [uses.add("one", expires=expires) for _ in range(3)] == [1, 2, 3]
    assert uses.add("two", expires=expires) == 1


def test_no_use_is_lost_among_those_who_count_at_once(uses: UseCounter) -> None:
    expires = int(time.time()) + 3_600
    with ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(lambda _: uses.add("name", expires=expires), range(40)))
    assert sorted(sums) == list(range(1, 41))
