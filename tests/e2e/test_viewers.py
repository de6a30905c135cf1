"""Objects of all shapes in Mirador and Universal Viewer: valid, every canvas drawn, no error."""

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import pyvips

from tests.e2e.mixed_objects import Shown, find_faults, publish_mixed_objects
from tests.e2e.viewers import FOLDER, VIEWERS, Picture, Viewer, is_drawn, serve_viewers
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
    assert (seen.not_drawn, seen.not_turned, seen.cannot_show) == ([], [], [])
    assert seen.errors == []
    assert seen.drawn == sum(len(shown.pictures) for shown in objects)


@pytest.mark.parametrize("direction", ["top-to-bottom", "bottom-to-top"])
def test_universal_viewer_draws_nothing_of_any_scroll_from_bottom_to_top(
    open_page: OpenPage, direction: str
) -> None:
    """A manifest as in the Cookbook (0011), with files for images: no word of it is ours.

    If this fails with a newer version of the viewer, its `cannot_show` can go.
    """
    viewer = VIEWERS[1]
    (arrangement,) = viewer.cannot_show
    picture = Picture((200, 60, 60), 600, 900)
    page = open_page("/").page
    with serve_viewers() as address:
        (FOLDER / "foreign").mkdir(exist_ok=True)
        plain = pyvips.Image.black(600, 900).bandjoin([0, 0]) + list(picture.colour)
        plain.cast("uchar").pngsave(str(FOLDER / "foreign" / "page.png"))
        manifest = f"{address}/foreign/{direction}.json"
        document = scroll(manifest, f"{address}/foreign/page.png", direction)
        (FOLDER / "foreign" / f"{direction}.json").write_text(json.dumps(document))
        page.goto(f"{address}/{viewer.name}.html#{quote(manifest, safe='')}/0")
        drawn = is_drawn(page, picture, 20)
    assert drawn != (f"continuous {direction}" == arrangement)


def scroll(manifest: str, image: str, direction: str) -> dict[str, Any]:
    """Return a continuous object of three canvases, written without our builders."""
    size = {"width": 600, "height": 900}
    canvases = [
        {
            "id": f"{manifest}/{number}",
            "type": "Canvas",
            **size,
            "items": [
                {
                    "id": f"{manifest}/{number}/page",
                    "type": "AnnotationPage",
                    "items": [
                        {
                            "id": f"{manifest}/{number}/image",
                            "type": "Annotation",
                            "motivation": "painting",
                            "body": {"id": image, "type": "Image", "format": "image/png", **size},
                            "target": f"{manifest}/{number}",
                        }
                    ],
                }
            ],
        }
        for number in (1, 2, 3)
    ]
    return {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": manifest,
        "type": "Manifest",
        "label": {"en": ["A scroll"]},
        "behavior": ["continuous"],
        "viewingDirection": direction,
        "items": canvases,
    }
