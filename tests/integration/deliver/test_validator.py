"""The official IIIF validator (PyPI iiif-validator), level 2 of both versions, through the edge.

One failure of version 3 is expected, `size_noup`: the validator wants `!2000,3000` of a 1000 by
1000 image refused. Image API 3.0, section 4.2, says of `!w,h`: "The returned image MUST be as
large as possible but not larger than the extracted region, w or h, or server-imposed limits."
So a smaller image is returned as it is, and a viewer's thumbnail of a small image is no error.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import pyvips
import requests
from iiif_validator.validator import ValidationInfo

from loadtest.rigs.edge_rig import edge_before
from tests.integration.deliver.deliver_pictures import decode, live_record
from tests.integration.deliver.deliver_rig import Rig, StartRig
from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_builder import level_sizes
from vitrine.ingest.recipe import STANDARD

VALIDATOR = Path(sys.executable).with_name("iiif-validate.py")
IDENTIFIER = "colour-grid"
"""With a hyphen, which the validator escapes to see whether it is still found."""
SQUARE = 100
EXPECTED = {"2.0": (30, set[str]()), "3.0": (33, {"size_noup"})}
"""Number of tests of level 2, and those that fail, by the validator's name of the version."""


def write_grid(path: Path) -> dict[str, object]:
    """The validator's test image, converted as ingest does; its record."""
    colours = np.array(ValidationInfo().colorInfo, dtype="u1").transpose(1, 0, 2)
    pixels = colours.repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)
    image = pyvips.Image.new_from_array(pixels).copy(interpretation="srgb")
    with tempfile.TemporaryDirectory() as scratch:
        output = to_file(path)
        write_access_master(image, Metadata(), STANDARD, output, Path(scratch), lambda rows: None)
    return live_record(IDENTIFIER, path.name, path, level_sizes(*pixels.shape[1::-1], 256))


@pytest.fixture(scope="module")
def grid_rig(start_rig: StartRig) -> Rig:
    rig = start_rig()
    record = write_grid(rig.store / "grid.tif")
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
    server = f"127.0.0.1:{ports[door]}"
    prefix = f"iiif/{version[0]}"
    requested = ["-s", server, "-p", prefix, "-i", IDENTIFIER, f"--version={version}", "--level=2"]
    run = subprocess.run(
        [sys.executable, VALIDATOR, *requested, "--verbose"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = dict(re.findall(r"test (\w+) (PASS|FAIL)", run.stderr))
    number, failures = EXPECTED[version]
    assert {name for name, verdict in found.items() if verdict == "FAIL"} == failures, run.stderr
    assert len(found) == number
    assert f"Done ({number} tests, {len(failures)} failures)" in run.stderr


@pytest.mark.parametrize("size", ["1500,1500", ",1500", "1500,", "pct:200"])
def test_all_else_that_the_failing_test_wants_refused_is_refused(grid_rig: Rig, size: str) -> None:
    assert image(grid_rig, f"3/{IDENTIFIER}/full/{size}/0/default.jpg").status_code == 400


def test_a_smaller_image_is_returned_as_it_is(grid_rig: Rig) -> None:
    response = image(grid_rig, f"3/{IDENTIFIER}/full/!2000,3000/0/default.jpg")
    assert response.status_code == 200
    assert decode(response.content).shape == (1000, 1000, 3)


def image(rig: Rig, path: str) -> requests.Response:
    return requests.get(f"{rig.url}/iiif/{path}", timeout=30)
