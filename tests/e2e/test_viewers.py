"""Objects of all shapes in Mirador and Universal Viewer: valid, every canvas drawn, no error.

`python -m tests.benchmarks.viewers` does the same with two hundred objects.
"""

from typing import TYPE_CHECKING

import pytest

from tests.e2e.mixed_objects import Shown, find_faults, publish_mixed_objects
from tests.e2e.viewers import VIEWERS, Viewer, serve_viewers
from tests.e2e.viewing import open_objects
from tests.e2e.visit import OpenPage

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow
OBJECTS = 3


@pytest.fixture(scope="module")
def objects(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    return publish_mixed_objects(service, tmp_path_factory.mktemp("mixed"), OBJECTS)


def test_every_manifest_is_valid_for_three_validators(objects: list[Shown]) -> None:
    assert [fault for faults in find_faults(objects).values() for fault in faults] == []


@pytest.mark.parametrize("viewer", VIEWERS, ids=lambda viewer: viewer.name)
def test_every_canvas_is_drawn_without_an_error(
    open_page: OpenPage, objects: list[Shown], viewer: Viewer
) -> None:
    with serve_viewers() as address:
        seen = open_objects(open_page("/").page, viewer, address, objects)
    assert seen.not_drawn == []
    assert seen.errors == []
    assert seen.drawn == sum(len(shown.pictures) for shown in objects)
