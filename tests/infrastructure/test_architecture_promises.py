"""An environment is of one architecture throughout: Lambdas, their layers, tasks and images."""

import json
from dataclasses import replace

import pytest

from layers.build import PLATFORMS, layer_directory
from layers.hollow_library import MACHINES
from stacks.designs import ENVIRONMENTS

LAMBDA = {"x86_64": "x86_64", "arm64": "arm64"}
TASK = {"x86_64": "X86_64", "arm64": "ARM64"}
IMAGE = {"x86_64": "linux/amd64", "arm64": "linux/arm64"}
MACHINE = {"x86_64": 62, "arm64": 183}
"""ELF's number of each (`e_machine`)."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=PLATFORMS)
def architecture(request):
    """Both architectures in turn."""
    return request.param


@pytest.fixture(scope="module")
def built(architecture, synthesize):
    """The templates of prod, of that architecture."""
    return synthesize(replace(ENVIRONMENTS["prod"], architecture=architecture))


def test_every_lambda_and_every_layer_is_of_the_architecture(built, architecture):
    for function in built.of("AWS::Lambda::Function"):
        assert function.properties["Architectures"] == [LAMBDA[architecture]], function.id
    for layer in built.of("AWS::Lambda::LayerVersion"):
        assert layer.properties["CompatibleArchitectures"] == [LAMBDA[architecture]], layer.id


def test_every_task_and_every_image_is_of_the_architecture(built, architecture):
    for task in built.of("AWS::ECS::TaskDefinition"):
        platform = task.properties["RuntimePlatform"]
        assert platform["CpuArchitecture"] == TASK[architecture], task.id
    images = [
        image["source"]
        for file in built.folder.glob("*.assets.json")
        for image in json.loads(file.read_text())["dockerImages"].values()
    ]
    assert images
    assert {image["platform"] for image in images} == {IMAGE[architecture]}


def test_every_compiled_file_of_a_layer_is_of_the_architecture(architecture):
    assert set(MACHINES) == set(MACHINE.values())
    for name in ("libvips", "powertools"):
        libraries = [*layer_directory(name, architecture).rglob("*.so*")]
        assert libraries or name == "powertools"
        for library in libraries:
            head = library.read_bytes()[:20]
            assert head[:4] == b"\x7fELF"
            assert int.from_bytes(head[18:20], "little") == MACHINE[architecture], library


def test_the_architectures_differ_in_nothing_else(synthesize):
    one, other = [synthesize(replace(ENVIRONMENTS["dev"], architecture=name)) for name in PLATFORMS]
    assert [(item.stage, item.kind) for item in one.resources] == [
        (item.stage, item.kind) for item in other.resources
    ]
