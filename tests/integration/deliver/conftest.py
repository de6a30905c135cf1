"""One running image task for most tests, and a way to start another."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.deliver.deliver_pictures import (
    PICTURES,
    coordinates_picture,
    live_record,
    write_pyramid,
)
from tests.integration.deliver.deliver_rig import Rig, StartRig, wait_until_ready
from tests.integration.deliver.recognised_pictures import grainy_colour, write_ours


@pytest.fixture(scope="session", autouse=True)
def programs() -> None:
    """Check that the Debian packages these tests run are installed."""
    path = "/usr/sbin:/usr/bin"
    for program in ("nginx", "spawn-fcgi", "multiwatch", "envsubst"):
        if not shutil.which(program, path=path):
            pytest.fail(f"{program} is not installed")


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("store")
    records = []
    for number, (identifier, size) in enumerate(PICTURES.items()):
        path = directory / f"{number}.tif"
        levels = write_pyramid(coordinates_picture(*size), path)
        records.append(live_record(identifier, path.name, path, levels))
    changed = "2026-02-03T04:05:06Z"
    records += [
        {"state": "redirect", "identifier": "old", "target": "plain", "changed_at": changed},
        {"state": "gone", "identifier": "lost", "reason": "rights", "changed_at": changed},
        {**records[0], "identifier": "vanished", "access_master_key": "vanished.tif"},
    ]
    (directory / "records.json").write_text(json.dumps(records))
    return directory


@pytest.fixture(scope="session")
def start_rig(store: Path) -> Iterator[StartRig]:
    """Start a whole image task; settings by name in capitals. Stopped at the end."""
    rigs: list[Rig] = []

    def start(**variables: str) -> Rig:
        # Paths of Unix sockets are short: a hundred bytes.
        work = Path(tempfile.mkdtemp(prefix="vitrine-"))
        copy = work / "store"
        copy.mkdir()
        for path in store.iterdir():
            (copy / path.name).symlink_to(path)
        rig = Rig(work, copy, variables)
        rigs.append(rig)
        rig.start("iipsrv", "gateway", "nginx")
        asyncio.run(wait_until_ready(rig))
        return rig

    yield start
    for rig in rigs:
        for name in ("nginx", "gateway", "iipsrv"):
            if name in rig.processes:
                rig.stop(name)
        shutil.rmtree(rig.work)


@pytest.fixture(scope="session")
def rig(start_rig: StartRig) -> Rig:
    return start_rig()


@pytest.fixture(scope="module")
def red(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An access master of the module's `WIDTH` and `HEIGHT`, which no tile shares with `blue`."""
    path = tmp_path_factory.mktemp("red") / "red.tif"
    write_ours(grainy_colour(request.module.WIDTH, request.module.HEIGHT, (230, 30, 30)), path)
    return path


@pytest.fixture(scope="module")
def blue(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An access master like `red`, in the other colour."""
    path = tmp_path_factory.mktemp("blue") / "blue.tif"
    write_ours(grainy_colour(request.module.WIDTH, request.module.HEIGHT, (30, 30, 230)), path)
    return path
