"""What is uploaded holds all that runs there, and nothing more."""

import json
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
CONTAINERS = ("iipsrv", "gateway", "nginx")


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


@pytest.mark.parametrize("stage", ["ingest", "present"])
def test_a_function_holds_vitrine_and_its_own_folder(dev, stage):
    steps = {
        function.properties["Handler"].split(".")[1]
        for function in dev.of("AWS::Lambda::Function")
        if function.stage == stage
    }
    found = set()
    for source in _assets(dev, stage, "files"):
        folder = dev.folder / source["path"]
        if source["packaging"] == "zip" and (folder / "lambdas").exists():
            assert {path.name for path in folder.iterdir()} == {"lambdas", "vitrine"}
            assert not list(folder.rglob("*.pyc"))
            found |= {path.name for path in (folder / "lambdas").iterdir() if path.is_dir()}
    assert found == steps
