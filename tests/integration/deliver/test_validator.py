"""The official IIIF validator finds level 2, through the edge and at the image task."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.integration.deliver.deliver_pictures import decode, live_record
from tests.integration.deliver.deliver_rig import Rig, StartRig
from tests.integration.official_validator import IDENTIFIER, draw_grid, require_level_2
from tests.rigs.edge_rig import edge_before
from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_builder import level_sizes
from vitrine.ingest.recipe import LIGHT, STANDARD, Recipe


def write_grid(path: Path, recipe: Recipe) -> dict[str, object]:
    """The validator's test image, converted as ingest does; its record."""
    image = draw_grid()
    with tempfile.TemporaryDirectory() as scratch:
        output = to_file(path)
        write_access_master(image, Metadata(), recipe, output, Path(scratch), lambda rows: None)
    levels = level_sizes(image.width, image.height, recipe.tile_size)
    return live_record(IDENTIFIER, path.name, path, levels, recipe.tile_size)


@pytest.fixture(scope="module", params=[STANDARD, LIGHT], ids=lambda recipe: recipe.name)
def grid_rig(request: pytest.FixtureRequest, start_rig: StartRig) -> Rig:
    """A service with the test image by each recipe of ours."""
    rig = start_rig()
    record = write_grid(rig.store / "grid.tif", request.param)
    new = rig.store / "records.new"
    new.write_text(json.dumps([record]))
    new.rename(rig.store / "records.json")
    return rig


@pytest.fixture(scope="module")
def ports(grid_rig: Rig) -> Iterator[dict[str, int]]:
    ready = f"/iiif/3/{IDENTIFIER}/info.json"
    with edge_before(grid_rig.port, ready=ready) as (edge, _):
        yield {"edge": edge.port, "origin": grid_rig.port}


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("door", ["edge", "origin"])
def test_the_official_validator_finds_level_2(
    ports: dict[str, int], door: str, version: str
) -> None:
    require_level_2(f"127.0.0.1:{ports[door]}", version)


@pytest.mark.parametrize("size", ["1500,1500", ",1500", "1500,", "pct:200"])
def test_all_else_that_the_failing_test_wants_refused_is_refused(grid_rig: Rig, size: str) -> None:
    assert image(grid_rig, f"3/{IDENTIFIER}/full/{size}/0/default.jpg").status_code == 400


def test_a_smaller_image_is_returned_as_it_is(grid_rig: Rig) -> None:
    response = image(grid_rig, f"3/{IDENTIFIER}/full/!2000,3000/0/default.jpg")
    assert response.status_code == 200
    assert decode(response.content).shape == (1000, 1000, 3)


def image(rig: Rig, path: str) -> requests.Response:
    return requests.get(f"{rig.url}/iiif/{path}", timeout=30)
