"""One image task behind one edge, for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import pyvips

from rigs.access_master import write_standard
from tests.integration.edge.edge_client import EdgeClient
from tests.rigs.edge_rig import EdgeRig, edge_rig

PICTURES = {
    "plain.tif": (1300, 1000),
    "other.tif": (700, 900),
    "large.tif": (6000, 5000),
    "odd.tif": (3001, 2003),
}


@pytest.fixture(scope="session")
def access_masters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("access-masters")
    for name, (width, height) in PICTURES.items():
        places = pyvips.Image.xyz(width, height)
        red, green = places[0] * 255 / width, places[1] * 255 / height
        picture = red.bandjoin([green, 255 - red]).cast("uchar")
        write_standard(picture.copy(interpretation="srgb"), folder / name)
    return folder


@pytest.fixture(scope="session")
def rig(access_masters: Path) -> Iterator[EdgeRig]:
    with edge_rig(access_masters) as running:
        yield running


@pytest.fixture
def edge(rig: EdgeRig) -> EdgeClient:
    return EdgeClient(rig.port)
