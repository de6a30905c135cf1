"""The rig of these tests."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.sources.ocr.page_rig import PageRig
from vitrine.catalogue.objects import Objects


@pytest.fixture
def rig(tmp_path: Path) -> PageRig:
    """Two published images with words, in an environment that reads English."""
    made = PageRig(tmp_path)
    made.publisher = replace(made.publisher, ocr_languages=("eng",))
    made.objects = Objects(made.publisher)
    made.show("p1", "NINEVEH")
    made.show("p2", "ASSUR")
    return made
