"""All processes of a server that is compared stay on the cores that it was given, together."""

import os
from pathlib import Path

import pytest
import pyvips

from loadtest.client.user_load import send_checked
from loadtest.corpora.access_masters import open_master
from loadtest.servers.pinning import pin_cores
from loadtest.studies.museum.museum_servers import KINDS
from loadtest.studies.view_mix import view_mix
from rigs.access_master import write_standard
from rigs.rig import Rig

pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="one core: nothing can be kept apart"
)


def cores_of_threads(rig: Rig) -> dict[str, set[int]]:
    """Return the cores that the threads of all processes may use, by their processes' names."""
    found: dict[str, set[int]] = {}
    for pid in rig.process_ids():
        for thread in Path(f"/proc/{pid}/task").iterdir():
            name = (thread / "comm").read_text().strip()
            found.setdefault(name, set()).update(os.sched_getaffinity(int(thread.name)))
    return found


@pytest.mark.parametrize("name", ["ours", "ours-cached", "iipsrv-patched", "iipsrv-memcached"])
def test_a_server_on_one_core_has_no_thread_on_another(name: str, tmp_path: Path) -> None:
    write_standard(
        pyvips.Image.black(1100, 900, bands=3).copy(interpretation="srgb"), tmp_path / "small.tif"
    )
    targets = view_mix([open_master(tmp_path / "small.tif")], 1)
    with pin_cores() as pinning:
        pinning.start_servers()
        with KINDS[name].start(tmp_path) as rig:
            pinning.start_generator()
            answers = send_checked(rig.url, targets, 4).answers
            assert answers
            assert not any(answer.fault for answer in answers)
            cores = cores_of_threads(rig)
    assert {"iipsrv.fcgi", "nginx"} <= set(cores)
    assert set().union(*cores.values()) == {pinning.server}
