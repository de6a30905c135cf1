"""The service to which these tests publish."""

import pytest

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench


@pytest.fixture
def bench() -> ObjectBench:
    """A service with three images."""
    return ObjectBench(*IMAGES)
