"""The image task in containers, from the definition that `vitrine up` deployed to the emulator.

Building takes a minute or two, so machines that lack the programs are not made to have them:
`make containers` installs them. See docs/howto/build-the-containers.md.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from rigs.free_port import free_port
from tests.conftest import run_service
from tests.integration.containers.contained_task import ContainedTask, Origin
from tests.integration.containers.container_engine import build, obstacle, podman
from tests.integration.containers.published_pictures import NOISE, RAMP, draw_noise, draw_ramp
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.local import emulator
from vitrine.local.synth import synthesize

PORT = "VITRINE_ORIGIN_PORT"


@pytest.fixture(scope="session", autouse=True)
def engine() -> None:
    """Skips where no container can be built."""
    reason = obstacle()
    if reason:
        pytest.skip(f"containers are neither built nor run: {reason}; run `make containers`")


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A service whose task has every container that there is, the photo door's too."""
    with run_service(tmp_path_factory.mktemp("contained"), "--photos") as running:
        yield running


@pytest.fixture(scope="session")
def definition(engine: None, service: Any) -> dict[str, Any]:
    """The deployed task definition, as ECS would be given it."""
    addresses = service.addresses
    cloud = emulator.access(addresses.region, urlsplit(addresses.emulator_url).port or 0)
    outputs = stack_outputs(cloud.client("cloudformation"), f"vitrine-{addresses.stage}-deliver")
    answer = cloud.client("ecs").describe_task_definition(
        taskDefinition=outputs["TaskDefinitionArn"]
    )
    found: dict[str, Any] = answer["taskDefinition"]
    return found


@pytest.fixture(scope="session")
def assembly(service: Any) -> Path:
    """The folder with the contexts of the images, as `vitrine up` synthesized it."""
    return synthesize(service.addresses.stage, doors=("photos",))


@pytest.fixture(scope="session")
def images(definition: dict[str, Any], assembly: Path) -> None:
    """The images that the definition names, built from what the CDK would send for them."""
    assets = {
        item["name"]: item["image"].rpartition(":")[2]
        for item in definition["containerDefinitions"]
    }
    # Two containers may have one image, which is built once.
    first = {asset: name for name, asset in reversed(assets.items())}
    build({name: assembly / f"asset.{asset}" for asset, name in first.items()})
    for name, asset in assets.items():
        if name != first[asset]:
            podman("tag", f"localhost/vitrine-{first[asset]}", f"localhost/vitrine-{name}")


@pytest.fixture(scope="session")
def pictures(service: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two published masters, `ramp` and `noise`."""
    folder = tmp_path_factory.mktemp("masters")
    for draw, identifier in ((draw_ramp, RAMP), (draw_noise, NOISE)):
        path = folder / f"{identifier}.tif"
        draw(path)
        done = service.run("ingest", path)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def start(
    definition: dict[str, Any], images: None, pictures: None, service: Any
) -> Iterator[Callable[..., Origin]]:
    """Start a task; settings by name in capitals. All are removed at the end."""
    addresses = service.addresses
    access = emulator.credentials(addresses.region, urlsplit(addresses.emulator_url).port or 0)
    tasks: list[ContainedTask] = []

    def started(**settings: str) -> Origin:
        port = free_port()
        name = f"vitrine-test-{os.getpid()}-{len(tasks)}"
        task = ContainedTask(name, definition, access | {PORT: str(port)} | settings)
        tasks.append(task)
        task.start()
        return Origin(task, port)

    yield started
    for task in tasks:
        task.remove()


@pytest.fixture(scope="session")
def origin(start: Callable[..., Origin]) -> Origin:
    """One task for all tests that leave it running."""
    return start()
