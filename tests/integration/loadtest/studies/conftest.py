"""What several tests of the studies ask for."""

from pathlib import Path

import pytest


@pytest.fixture
def images(tmp_path: Path) -> Path:
    path = tmp_path / "images.csv"
    path.write_text("identifier,width,height\na,3000,2000\n")
    return path
