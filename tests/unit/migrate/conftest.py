"""A museum in memory."""

from pathlib import Path

import pytest

from tests.unit.migrate.museum import Museum


@pytest.fixture
def museum(tmp_path: Path) -> Museum:
    return Museum(tmp_path)
