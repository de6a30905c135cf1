"""What is uploaded holds all that runs there, and nothing more."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import aws_cdk as cdk
import pytest

from stacks.constructs import converter_task, load_generators
from stacks.constructs.asset_contents import FUNCTION, image_contents
from stacks.constructs.image_task import CONTEXT

REPOSITORY = Path(__file__).parents[2]
CONTAINERS = ("iipsrv", "gateway", "nginx")
CONTEXTS = {
    **{name: CONTEXT.get(name, ()) for name in CONTAINERS},
    converter_task.CONTAINER: converter_task.CONTEXT,
}
DEPLOYED = ("vitrine", "lambdas", "layers", "containers", "requirements")
NOT_DEPLOYED = (
    "vitrine/cli",
    "vitrine/local",
    "rigs",
    "loadtest",
    "capacity",
    "docs",
    "tests",
    "stacks",
)


def _assets(templates, stage, kind):
    name = f"vitrine-{templates.environment.name}-{stage}.assets.json"
    entries = json.loads((templates.folder / name).read_text())[kind].values()
    return [entry["source"] for entry in entries]


def _image(templates, container):
    (source,) = [
        source
        for source in _assets(templates, "deliver", "dockerImages")
        if source["dockerFile"] == f"containers/{container}/Dockerfile"
    ]
    return templates.folder / source["directory"]


@pytest.mark.parametrize("container", CONTAINERS)
def test_an_image_finds_all_that_it_copies(dev, container):
    context = _image(dev, container)
    dockerfile = (REPOSITORY / "containers" / container / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(?:--\S+ )*(.+) \S+$", dockerfile, re.MULTILINE)
    assert copied
    for source in " ".join(copied).split():
        assert (context / source).exists(), source
    assert (context / "containers" / container / "start").exists()


def test_only_the_gateway_is_rebuilt_when_our_code_changes(dev):
    with_code = [name for name in CONTAINERS if (_image(dev, name) / "vitrine").exists()]
    assert with_code == ["gateway"]


def test_all_functions_share_an_asset_of_vitrine_and_their_handlers(dev):
    folders = {
        dev.folder / source["path"]
        for stage in ("ingest", "present", "api", "migrate")
        for source in _assets(dev, stage, "files")
        if source["packaging"] == "zip" and (dev.folder / source["path"] / "lambdas").exists()
    }
    (folder,) = folders
    assert {path.name for path in folder.iterdir()} == {"lambdas", "vitrine"}
    assert not {"cli", "local"} & {path.name for path in (folder / "vitrine").iterdir()}
    assert not list(folder.rglob("*.pyc"))
    steps = {
        function.properties["Handler"].split(".")[1] for function in dev.of("AWS::Lambda::Function")
    }
    assert steps <= {path.name for path in (folder / "lambdas").iterdir() if path.is_dir()}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A copy of the repository that may be changed; compiled files and results are left out."""
    copy = tmp_path_factory.mktemp("repository")
    for name in {folder.split("/")[0] for folder in (*DEPLOYED, *NOT_DEPLOYED)}:
        shutil.copytree(
            REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    return copy


def _fingerprints(repository):
    """Hash of the Lambdas' asset and of every image, by the code that stages them."""
    contents = {"functions": list(FUNCTION)}
    contents |= {f"image {name}": image_contents(name, CONTEXTS[name]) for name in CONTEXTS}
    return {
        name: cdk.FileSystem.fingerprint(
            str(repository), exclude=lines, ignore_mode=cdk.IgnoreMode.GIT
        )
        for name, lines in contents.items()
    }


def _change(folder):
    """Append a line to every file of text below `folder`, and add one file."""
    for path in folder.rglob("*"):
        if path.suffix in {".py", ".md", ".html", ".js", ".json", ".toml"}:
            path.write_text(path.read_text() + "\n# changed\n")
    (folder / "added.py").write_text("")


@pytest.mark.slow
def test_a_change_to_what_is_not_deployed_changes_no_asset(repository):
    before = _fingerprints(repository)
    for folder in NOT_DEPLOYED:
        _change(repository / folder)
    assert _fingerprints(repository) == before


def test_a_change_to_the_service_changes_the_assets_that_hold_it(repository):
    before = _fingerprints(repository)
    _change(repository / "vitrine" / "iiif")
    after = _fingerprints(repository)
    same = {name for name in before if before[name] == after[name]}
    assert same == {"image nginx", "image iipsrv"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("container", "context", "module"),
    [
        ("gateway", CONTEXT["gateway"], "vitrine.processes.gateway"),
        (converter_task.CONTAINER, converter_task.CONTEXT, "lambdas.convert_master.task"),
        (
            load_generators.CONTAINER,
            load_generators.CONTEXT,
            "locust, loadtest.fleet.generator_task, loadtest.locustfile",
        ),
    ],
)
def test_an_image_holds_every_module_that_it_imports(container, context, module, tmp_path):
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    staged = cdk.AssetStaging(
        cdk.Stack(app, "Stack"),
        "Context",
        source_path=str(REPOSITORY),
        exclude=image_contents(container, context),
        ignore_mode=cdk.IgnoreMode.GIT,
    )
    result = subprocess.run(
        [sys.executable, "-P", "-c", f"import {module}"],
        env={**os.environ, "PYTHONPATH": staged.absolute_staged_path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
