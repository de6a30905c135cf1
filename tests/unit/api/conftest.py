"""The API that these tests ask."""

import pytest

from tests.unit.api.api_bench import ApiBench


@pytest.fixture
def bench() -> ApiBench:
    """The API of a service with two images."""
    return ApiBench("one", "two")
