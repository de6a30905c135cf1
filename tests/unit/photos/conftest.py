"""The photo door that these tests send to."""

from pathlib import Path

import pytest

from tests.unit.photos.photo_bench import PhotoBench


@pytest.fixture
def bench(tmp_path: Path) -> PhotoBench:
    """A photo door in memory."""
    return PhotoBench(tmp_path)
