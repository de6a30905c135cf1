"""The servers that `vitrine-loadtest study delivery` compares start side by side."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import pyvips

from loadtest.client.http_client import check_thoroughly
from loadtest.client.rig_load import send_to_rig
from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.corpora.access_masters import Master, open_master, write_standard
from loadtest.rigs.rig import Rig, vitrine_rig
from loadtest.rigs.rivals import iipsrv_rig, static_rig
from loadtest.studies.delivery.delivery_requests import interior_tiles, tile_path, view_mix
from loadtest.studies.delivery.delivery_stage import start_rigs


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Master:
    path = tmp_path_factory.mktemp("masters") / "small.tif"
    write_standard(pyvips.Image.black(1100, 900, bands=3).copy(interpretation="srgb"), path)
    return open_master(path)


@pytest.fixture(scope="module")
def rigs(master: Master) -> Iterator[list[Rig]]:
    folder = master.path.parent
    with ExitStack() as stack:
        yield start_rigs(stack, [vitrine_rig(folder), iipsrv_rig(folder), static_rig(folder)])


def test_the_view_mix_has_no_failures_on_any_server(master: Master, rigs: list[Rig]) -> None:
    for rig in rigs[:2]:
        figures = send_to_rig(rig, view_mix([master], 1), 4, check_thoroughly)
        assert (figures["requests"], figures["failed"]) == (100, [])
        assert rig.usage().cpu_seconds > 0
        assert rig.usage().resident_bytes > 10 << 20


def test_wrk_asks_every_server_for_the_list(master: Master, rigs: list[Rig]) -> None:
    paths = [tile_path(master, tile) for tile in interior_tiles(master, 20)]
    vitrine, iipsrv, static = (send_with_wrk(rig, paths, WrkRun(seconds=1)) for rig in rigs)
    for figures in (vitrine, iipsrv):
        assert figures["failures"] == 0
        assert figures["requests"] > 0
    assert static["failures"] == static["requests"] > 0  # no such files


def test_servers_end_with_their_rig(master: Master) -> None:
    with vitrine_rig(master.path.parent) as rig:
        processes = rig.running
    assert not any(process.alive for process in processes)
