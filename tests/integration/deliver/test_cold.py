"""What a first request reads from S3: kilobytes of a gigabyte, each of them once.

The real gateway and S3 adapter over HTTP to a store that counts, and answers after 20 ms.
"""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from rigs.access_master import read_live
from rigs.object_server.server_process import run_store
from tests.integration.deliver.cold_gateway import ColdGateway
from tests.integration.deliver.cold_images import write_like_libvips, write_like_ours
from tests.integration.deliver.patient_reads import read_patiently
from tests.rigs.image_addresses import THUMBNAIL, random_tiles
from vitrine.records import Live

TILES, CLIENTS, SEED = 30, 50, 4
LATENCY_SECONDS = 0.02
PROMISED = {"ours": (2, 512 << 10), "libvips": (12, 3072 << 10)}
"""Most reads and bytes until the first tile or thumbnail of an image."""
Rig = tuple[ColdGateway, dict[str, Live]]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    directory = tmp_path_factory.mktemp("cold")
    write_like_ours(directory / "ours.tif", 24_000, 16_667)
    write_like_libvips(directory / "libvips.tif", 12_000, 8_334)
    images = {name: read_live(directory / f"{name}.tif", name) for name in PROMISED}
    with pytest.MonkeyPatch.context() as patch:
        read_patiently(patch.setattr)
        with run_store(directory, LATENCY_SECONDS) as running:
            yield ColdGateway(running, list(images.values())), images


def tiles_and_thumbnails(image: Live) -> Iterator[Sequence[str]]:
    """Yield what fifty clients request at once."""
    crowd = random_tiles(image, CLIENTS, SEED + 1)
    yield crowd
    yield crowd[:1] * CLIENTS
    yield crowd[: CLIENTS // 2] + [THUMBNAIL] * (CLIENTS - CLIENTS // 2)


@pytest.mark.parametrize("name", PROMISED)
def test_first_requests_read_no_more_than_promised(rig: Rig, name: str) -> None:
    gateway, images = rig
    image, (reads, size) = images[name], PROMISED[name]
    for parameters in (THUMBNAIL, *random_tiles(image, TILES, SEED)):
        cost = asyncio.run(gateway.visit(image, [parameters]))
        assert cost.reads <= reads, parameters
        assert cost.bytes <= size, parameters
        assert cost.repeated == 0, parameters


@pytest.mark.parametrize("name", PROMISED)
def test_an_image_information_reads_nothing(rig: Rig, name: str) -> None:
    gateway, images = rig
    assert asyncio.run(gateway.visit(images[name], ["info.json"])).reads == 0


@pytest.mark.parametrize("name", PROMISED)
def test_fifty_clients_on_one_cold_image_read_nothing_twice(rig: Rig, name: str) -> None:
    gateway, images = rig
    for crowd in tiles_and_thumbnails(images[name]):
        cost = asyncio.run(gateway.visit(images[name], crowd))
        assert cost.reads > 0
        assert cost.repeated == 0
