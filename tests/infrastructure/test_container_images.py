"""What the three Dockerfiles promise, read without an engine; see tests/integration/containers."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_ecr_assets as assets
from aws_cdk import aws_ecs as ecs

from stacks.constructs import converter_task, load_generators, ocr_function
from stacks.constructs.container_image import container_image
from stacks.constructs.image_function import COMMAND
from stacks.constructs.image_function import CONTAINER as FUNCTION
from stacks.constructs.image_task import CONTAINERS, USER
from stacks.container_bases import ContainerBases
from stacks.designs import DEV, PROD
from vitrine.settings.present import OcrOptions

REPOSITORY = Path(__file__).parents[2]

CONVERTER = converter_task.CONTAINER
IN_TASKS = (*CONTAINERS, CONVERTER, load_generators.CONTAINER)
OURS = (*IN_TASKS, FUNCTION, ocr_function.CONTAINER)


def _instructions(container):
    """(keyword, rest) of each instruction, continued lines joined, comments left out."""
    text = (REPOSITORY / "containers" / container / "Dockerfile").read_text()
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line]


def test_every_image_is_one_that_starts_here():
    assert {path.parent.name for path in REPOSITORY.glob("containers/*/Dockerfile")} == {
        *CONTAINERS,
        converter_task.CONTAINER,
        load_generators.CONTAINER,
        FUNCTION,
        ocr_function.CONTAINER,
    }


@pytest.mark.slow
@pytest.mark.parametrize("container", OURS)
def test_the_dockerfile_passes_hadolint(container):
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [hadolint, REPOSITORY / "containers" / container / "Dockerfile"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_all_images_are_of_one_debian_release_which_is_built_pinned_and_audited():
    bases = {
        rest
        for name in OURS
        for keyword, rest in _instructions(name)
        if keyword == "ARG" and rest.startswith("BASE=")
    }
    builder = (REPOSITORY / "scripts" / "build-containers").read_text()
    (release,) = re.findall(r"^release=(\w+)$", builder, flags=re.MULTILINE)
    assert bases == {f"BASE=debian:{release}-slim"}
    assert f'SUITE = "{release}"\n' in (REPOSITORY / "scripts" / "audit.py").read_text()
    assert ContainerBases.read().image == f"docker.io/library/debian:{release}-slim"


@pytest.mark.parametrize("container", OURS)
def test_every_stage_is_built_on_the_pinned_base_and_the_pinned_packages(container):
    keywords = [keyword for keyword, _ in _instructions(container)]
    stages = keywords.count("FROM")
    bases = [rest for keyword, rest in _instructions(container) if keyword == "FROM"]
    assert all(rest.split()[0] == "$BASE" for rest in bases)
    installs = [rest for _, rest in _instructions(container) if "apt-get install" in rest]
    assert len(installs) == stages
    assert all(rest.startswith('prepare-apt "$SNAPSHOT" && apt-get install') for rest in installs)
    assert [rest for keyword, rest in _instructions(container) if rest.startswith("SNAPSHOT")] == [
        'SNAPSHOT=""'
    ] * stages


@pytest.fixture
def renewed(monkeypatch, tmp_path):
    """Bases as `scripts/renew_bases.py` writes them, with a digest of one letter repeated."""

    def renew(letter):
        file = tmp_path / "bases.toml"
        file.write_text(
            f'image = "docker.io/library/debian:trixie-slim"\ndigest = "sha256:{letter * 64}"\n'
            'snapshot = "20261123T202503Z"\n'
        )
        monkeypatch.setattr(ContainerBases.read.__func__, "__defaults__", (file,))
        return _gateway_asset()

    return renew


def _gateway_asset():
    stack = cdk.Stack(cdk.App())
    cluster = ecs.FargateTaskDefinition(stack, "Task")
    cluster.add_container("gateway", image=container_image(stack, "gateway", PROD))
    (asset,) = [item for item in stack.node.find_all() if isinstance(item, assets.DockerImageAsset)]
    return asset


@pytest.mark.slow
def test_renewed_bases_are_what_the_build_takes_and_build_the_image_again(renewed):
    before, after = renewed("a").asset_hash, renewed("b")
    assert after.asset_hash != before
    stack = cdk.Stack.of(after)
    manifest = cdk.App.of(stack).synth().directory
    (file,) = Path(manifest).glob("*.assets.json")
    (image,) = json.loads(file.read_text())["dockerImages"].values()
    assert image["source"]["dockerBuildArgs"] == {
        "BASE": f"docker.io/library/debian:trixie-slim@sha256:{'b' * 64}",
        "SNAPSHOT": "20261123T202503Z",
    }


@pytest.mark.parametrize("container", OURS)
def test_every_debian_package_is_pinned(container):
    for keyword, rest in _instructions(container):
        if keyword == "RUN" and "apt-get install" in rest:
            _, _, packages = rest.partition("--no-install-recommends ")
            for package in packages.partition("&&")[0].split():
                assert re.fullmatch(r"[a-z0-9.+-]+=[0-9][0-9a-z.:]*(-\*|\*)", package), package


@pytest.mark.parametrize("container", IN_TASKS)
def test_the_image_runs_as_a_user_that_owns_its_volumes_and_nothing_else(container):
    instructions = _instructions(container)
    # nginx has a place in memory too, for the answers that it keeps.
    owned = "/var/vitrine /var/vitrine-memory" if container == "nginx" else "/var/vitrine"
    assert [rest for keyword, rest in instructions if keyword == "USER"] == [USER]
    assert ("VOLUME", "/var/vitrine") in instructions
    assert [rest for _, rest in instructions if "chown" in rest] == [
        f"mkdir {owned} && chown {USER} {owned}"
    ]


@pytest.mark.parametrize("container", OURS)
def test_the_image_takes_setuid_from_every_program_after_the_last_package(container):
    """`tests/integration/containers` looks into three of the images; this reads all six."""
    *_, (_, last) = (
        item
        for item in _instructions(container)
        if item[0] == "RUN" and ("apt-get install" in item[1] or "pip install" in item[1])
    )
    assert last.endswith("&& find / -xdev -type f -perm /6000 -exec chmod a-s {} +")


def test_the_image_of_the_lambda_is_gateway_and_iipsrv_as_the_task_has_them():
    ours = _instructions(FUNCTION)
    for stage, name in (("build", "iipsrv"), ("packages", "gateway")):
        assert _stage(stage, ours) == _stage(stage, _instructions(name))
    last = ours[max(number for number, item in enumerate(ours) if item[0] == "FROM") :]
    installed = {word for keyword, rest in last if keyword == "RUN" for word in rest.split()}
    for name in ("gateway", "iipsrv"):
        needed = _instructions(name)
        runs = [rest for keyword, rest in needed if keyword == "RUN" and "apt-get" in rest]
        assert {word for word in runs[-1].split() if "=" in word} <= installed
        copied = {rest for keyword, rest in needed if keyword == "COPY" and "--from=" in rest}
        assert copied <= {rest for keyword, rest in last if keyword == "COPY"}
    assert [rest for keyword, rest in last if keyword == "USER"] == [USER]
    # Lambda gives it no volume, and nothing to write to but /tmp.
    assert "VOLUME" not in dict(last)
    assert json.loads(dict(last)["CMD"]) == COMMAND


def _stage(name, instructions):
    """The instructions of a stage, from its FROM to the next."""
    starts = [number for number, item in enumerate(instructions) if item[0] == "FROM"]
    for start, end in pairwise([*starts, len(instructions)]):
        if instructions[start][1].endswith(f" AS {name}"):
            return instructions[start:end]
    raise AssertionError(name)


@pytest.mark.parametrize("container", CONTAINERS)
def test_docker_and_ecs_ask_the_same_program_whether_it_is_well(templates, container):
    (check,) = [rest for keyword, rest in _instructions(container) if keyword == "HEALTHCHECK"]
    program = f"containers/{container}/healthy"
    assert check.endswith(f'CMD ["{program}"]')
    assert os.access(REPOSITORY / program, os.X_OK)
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    (definition,) = [item for item in task["ContainerDefinitions"] if item["Name"] == container]
    assert definition["HealthCheck"]["Command"] == ["CMD-SHELL", program]
    assert definition["User"] == USER


def test_the_converter_runs_what_its_image_runs_as_the_same_user(templates):
    task = templates.one("AWS::ECS::TaskDefinition", "ConvertMasterGiantTask").properties
    (definition,) = task["ContainerDefinitions"]
    (command,) = [rest for keyword, rest in _instructions(CONVERTER) if keyword == "CMD"]
    assert definition["Command"] == json.loads(command)
    assert definition["User"] == USER
    assert definition["ReadonlyRootFilesystem"] is True
    assert definition["LinuxParameters"]["Capabilities"] == {"Drop": ["ALL"]}
    (mount,) = definition["MountPoints"]
    variables = {item["Name"]: item["Value"] for item in definition["Environment"]}
    assert mount["ContainerPath"] == variables["TMPDIR"] == "/var/vitrine"


@pytest.mark.slow
def test_the_reader_of_pages_runs_what_its_image_runs_and_can_write_to_tmp_alone(synthesize):
    reading = synthesize(replace(DEV, ocr=OcrOptions()))
    function = reading.one("AWS::Lambda::Function", "ReadPages").properties
    instructions = _instructions(ocr_function.CONTAINER)
    (command,) = [rest for keyword, rest in instructions if keyword == "CMD"]
    assert function["ImageConfig"]["Command"] == json.loads(command) == ocr_function.COMMAND
    assert [rest for keyword, rest in instructions if keyword == "USER"] == [USER]
    assert "VOLUME" not in dict(instructions)
