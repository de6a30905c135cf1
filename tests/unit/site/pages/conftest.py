"""The service whose pages these tests read."""

import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench


@pytest.fixture
def bench() -> ObjectBench:
    """A service with three images."""
    return ObjectBench(*IMAGES)
