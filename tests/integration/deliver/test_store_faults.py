"""S3 fails in every way it can: nobody gets wrong bytes, and most get what they asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from rigs.object_server.response_faults import Fault, ResponseFault
from tests.integration.deliver.recognised_pictures import grainy_coordinates, shows, write_ours
from tests.integration.deliver.stored_rig import Answer, StoredRig, stored_rig
from tests.rigs.image_addresses import address, tile
from vitrine.records import Live

WIDTH, HEIGHT = 1700, 1100
PICTURE = grainy_coordinates(WIDTH, HEIGHT)
OCCASIONAL = [
    Fault(kind=ResponseFault.INTERNAL_ERROR, each=2),
    Fault(kind=ResponseFault.SLOW_DOWN, each=2),
    Fault(kind=ResponseFault.RESET, each=2),
    Fault(kind=ResponseFault.SHORT, each=2),
    Fault(kind=ResponseFault.ZEROS, times=1),
    Fault(kind=ResponseFault.TRICKLE, every=2, seconds=1),
    Fault(kind=ResponseFault.SILENT, times=2, seconds=1),
]
LASTING = [
    Fault(kind=kind)
    for kind in (ResponseFault.INTERNAL_ERROR, ResponseFault.SLOW_DOWN, ResponseFault.RESET)
]


@pytest.fixture(scope="module")
def pyramid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pyramids") / "coordinates.tif"
    write_ours(PICTURE, path)
    return path


@pytest.fixture(scope="module")
def running() -> Iterator[StoredRig]:
    with stored_rig(VITRINE_DERIVATIVE_CACHE_MEBIBYTES="0") as rig:
        yield rig


@pytest.fixture
def rig(running: StoredRig) -> Iterator[StoredRig]:
    yield running
    running.server.fail()
    running.server.delay(0)


def requests_for(image: Live) -> list[str]:
    """All tiles of two levels, and some regions that have to be rendered."""
    tiles = [
        tile(image, level, column, row)
        for level in (0, 1)
        for column in range(-(-image.levels[level][0] // image.tile_width))
        for row in range(-(-image.levels[level][1] // image.tile_height))
    ]
    whole = f"0,0,{WIDTH},{HEIGHT}"
    rendered = [f"{whole}/128,83", f"{whole}/600,388", "333,111,700,500/350,250"]
    return tiles + [f"{item}/0/default.jpg" for item in rendered]


def assert_right(answers: list[Answer]) -> None:
    for answer in answers:
        assert answer.status == 200, f"{answer.parameters}: {answer.status} {answer.body[:200]!r}"
        assert shows(answer.body, PICTURE, answer.parameters), answer.parameters


@pytest.mark.parametrize("fault", OCCASIONAL, ids=lambda fault: fault.kind.value)
def test_a_store_that_fails_now_and_then_is_not_noticed(
    rig: StoredRig, pyramid: Path, fault: Fault
) -> None:
    image = rig.publish(pyramid)
    rig.server.forget()
    rig.server.fail(fault)
    assert_right(rig.ask(image, requests_for(image)))
    assert any(read.fault for read in rig.server.reads()), "no fault was met"


@pytest.mark.parametrize("fault", LASTING, ids=lambda fault: fault.kind.value)
def test_a_store_that_always_fails_is_a_503_until_it_is_back(
    rig: StoredRig, pyramid: Path, fault: Fault
) -> None:
    image = rig.publish(pyramid)
    rig.server.fail(fault)
    for answer in rig.ask(image, requests_for(image)):
        assert answer.status == 503, answer
        assert answer.headers["Retry-After"]
        assert answer.headers["Cache-Control"] == "no-store"
    assert requests.get(rig.rig.url + address(image, "info.json"), timeout=30).status_code == 200
    assert requests.get(rig.rig.url + "/healthz", timeout=30).status_code == 200
    rig.server.fail()
    assert_right(rig.ask(image, requests_for(image)))


def test_what_is_cached_is_served_while_the_store_is_away(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    before = rig.ask(image, requests_for(image))
    assert_right(before)
    rig.server.fail(Fault(kind=ResponseFault.INTERNAL_ERROR))
    assert [answer.body for answer in rig.ask(image, requests_for(image))] == [
        answer.body for answer in before
    ]


def test_a_distant_store_is_slow_and_right(rig: StoredRig, pyramid: Path) -> None:
    image = rig.publish(pyramid)
    rig.server.delay(0.4)
    assert_right(rig.ask(image, requests_for(image)))


def test_an_access_master_that_is_missing_is_a_503_and_is_found_once_it_is_there(
    rig: StoredRig, pyramid: Path
) -> None:
    image = rig.publish(pyramid)
    key = rig.rig.store / image.access_master_key
    key.rename(rig.rig.work / "away.tif")
    assert {answer.status for answer in rig.ask(image, requests_for(image))} == {503}
    (rig.rig.work / "away.tif").rename(key)
    assert_right(rig.ask(image, requests_for(image)))


@pytest.fixture(scope="module")
def through_iipsrv() -> Iterator[StoredRig]:
    settings = {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0"}
    with stored_rig(**settings) as rig:
        yield rig


@pytest.mark.parametrize("renderer", ["running", "through_iipsrv"])
def test_damaged_blocks_are_fetched_again_by_every_renderer(
    request: pytest.FixtureRequest, pyramid: Path, renderer: str
) -> None:
    rig: StoredRig = request.getfixturevalue(renderer)
    image = rig.publish(pyramid)
    # The head is whole; then a read of many tiles, all of them zeros.
    rig.server.fail(Fault(kind=ResponseFault.ZEROS, skip=1, times=1))
    whole = f"0,0,{WIDTH},{HEIGHT}"
    try:
        assert_right(rig.ask(image, [f"{whole}/{WIDTH},{HEIGHT}/0/default.jpg"]))
    finally:
        rig.server.fail()
