"""While a swarm fills every lane, what viewers ask for is not refused; without one, nothing is.

The requests that the Universal Viewer made of fifty real images are read from the folder that
MUSEUM_REQUESTS names: they are not ours.
"""

import csv
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest

from tests.rigs.image_addresses import tile
from tests.unit.deliver.deliver_records import live
from vitrine.deliver.answer.budgets import Budgets
from vitrine.deliver.answer.cost import Cost, Lane, price_derivative
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.tiles import tile_position
from vitrine.errors import Overloaded
from vitrine.iiif.request import parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V2, V3, Version
from vitrine.records import Live

LIMITS = Limits(area=25_000_000)
BYTES_PER_PIXEL = 0.6
FOLDER = Path(os.environ.get("MUSEUM_REQUESTS", "none"))
BIG = 1 << 30


def image(identifier: str, width: int, height: int) -> Live:
    size = int(4 / 3 * BYTES_PER_PIXEL * width * height)
    return live(identifier, width, height, access_master_bytes=size)


@pytest.fixture
def pressed() -> Iterator[Budgets]:
    """Budgets whose lanes a swarm has filled, so that none of its own requests is admitted."""
    budgets = Budgets(cores=2, refuses=True, counters=Counters(), clock=lambda: 0.0)
    with ExitStack() as stack:
        for lane in (Lane.COLD, Lane.LARGE):
            cost = Cost(lane, work=1e9, fetched_bytes=BIG)
            stack.enter_context(budgets.admission(f"first {lane}", cost))
            with pytest.raises(Overloaded), budgets.admission("another", cost):
                pass
        yield budgets


@pytest.fixture
def idle() -> Budgets:
    return Budgets(cores=2, refuses=True, counters=Counters(), clock=lambda: 0.0)


def count_renders(
    budgets: Budgets, requests: Iterable[tuple[Live, str]], version: Version = V3
) -> int:
    """Admit what is no tile, each of an image that is not open; return how many there were."""
    renders = 0
    for one, parameters in requests:
        resolved = resolve(
            parse_image_request(tuple(parameters.split("/")), version),
            one.width,
            one.height,
            LIMITS,
            one,
        )
        if tile_position(one, resolved):
            continue
        renders += 1
        cost = price_derivative(one, resolved, None)
        with budgets.admission(f"{one.identifier} {parameters}", cost):
            pass
    return renders


def test_tiles_are_not_refused_also_where_a_level_does_not_store_the_last_ones(
    pressed: Budgets,
) -> None:
    requested = [
        (one, tile(one, level, column, row))
        for one in (image(f"i{number}", 6000, 4000 - number) for number in range(4))
        for level in range(len(one.levels))
        for column in range(-(-one.width // (one.tile_width << level)))
        for row in range(-(-one.height // (one.tile_height << level)))
    ]
    assert len(requested) > 1_500
    assert 0 < count_renders(pressed, requested) < 100


@pytest.mark.parametrize(
    "parameters",
    [
        "full/max/0/default.jpg",
        "full/500,500/0/default.jpg",
        "full/!333,222/90/gray.jpg",
        "full/pct:57/0/default.png",
        "square/200,/0/bitonal.jpg",
        "pct:11,13,40,40/400,/0/default.jpg",
        "117,203,100,100/100,/!0/default.webp",
    ],
)
def test_what_the_official_validator_asks_of_its_image_is_not_refused(
    idle: Budgets, parameters: str
) -> None:
    """Its image has 1,000 x 1,000 pixels. It asks for one after the other."""
    assert count_renders(idle, [(image("validation", 1_000, 1_000), parameters)]) <= 1


@pytest.mark.parametrize("side", [80, 90, 120, 200, 300])
def test_thumbnails_of_mirador_and_others_in_sizes_of_their_own_are_not_refused(
    pressed: Budgets, side: int
) -> None:
    for width, height in ((6_000, 4_000), (11_608, 8_708), (3_000, 9_000)):
        one = image("page", width, height)
        requested = (f"full/{side},/0/default.jpg", f"full/,{side}/0/default.jpg")
        assert count_renders(pressed, [(one, parameters) for parameters in requested]) == 2


@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="NOT TESTED: MUSEUM_REQUESTS names no folder of request lists"
)
def test_the_published_requests_of_the_universal_viewer_are_not_refused(pressed: Budgets) -> None:
    with (FOLDER / "dimensions.csv").open(newline="") as file:
        known = {
            f"{row[0]}.tif": image(row[0], int(row[1]), int(row[2]))
            for row in islice(csv.reader(file), 1, None)
        }
    lines = (FOLDER / "uv_urls.txt").read_text().split()
    requested = [line.split("/", 1) for line in lines if not line.endswith("info.json")]
    requests = [(known[name], parameters) for name, parameters in requested]
    assert len(requests) > 1_000
    assert count_renders(pressed, requests, V2) > 50
