"""The layers hold what Lambda and the emulator import, nothing else; a missing one is named."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from layers.build import (
    API,
    AUTHORIZATION,
    COLLECTIONS,
    DOCUMENTS,
    DOOR,
    EMULATOR_PYTHON,
    LIBVIPS,
    MAXIMUM_MEBIBYTES,
    MCP,
    POWERTOOLS,
    REPOSITORY,
    RUNTIME_PYTHON,
    STATISTICS,
    build,
    emulator_packages,
    inputs_digest,
    layer_directory,
)
from stacks.api import ANSWERER
from stacks.constructs import ocr_function
from stacks.constructs.authorization_function import AUTHORIZER
from stacks.constructs.content_search_function import INSIDE_SEARCHER
from stacks.constructs.mcp_function import MCP_ANSWERER
from stacks.constructs.ocr_function import STEP as OCR_READER
from stacks.constructs.photo_function import PHOTO_ANSWERER
from stacks.constructs.python_function import PIXEL_STEPS
from stacks.count_visits import COUNTER
from stacks.present import LISTER, PUBLISHER
from stacks.update_collections import UPDATER
from stacks.update_search import SEARCHER
from stacks.write_dumps import DUMPER
from vitrine.local import emulator

pytestmark = pytest.mark.slow

MEBIBYTE = 2**20
WITH_DOCUMENTS = {PUBLISHER, LISTER, DUMPER, SEARCHER, INSIDE_SEARCHER}
"""The steps that read or write what is published of objects."""
LAYER_OF = {
    PHOTO_ANSWERER: DOOR,
    ANSWERER: API,
    AUTHORIZER: AUTHORIZATION,
    COUNTER: STATISTICS,
    MCP_ANSWERER: MCP,
    UPDATER: COLLECTIONS,
}
"""Layers that one step each has."""
STEPS = sorted(
    {path.parent.name for path in REPOSITORY.glob("lambdas/*/handler.py")} - {OCR_READER}
)
"""All but the one whose packages are those of its container image."""


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build("x86_64")


@pytest.fixture(scope="module")
def libvips() -> Path:
    return layer_directory(LIBVIPS, "x86_64") / "python"


@pytest.fixture(scope="module")
def powertools() -> Path:
    return layer_directory(POWERTOOLS, "x86_64") / "python"


def _run(code, *path, cwd):
    """What `code` prints in a Python of the emulator's version with nothing else on its path."""
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_REGION": "eu-central-1",
    }
    command = [sys.executable, "-S", "-c", code]
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)


def _mebibytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEBIBYTE


def _compiled_parts(packages, version):
    """The extension modules in `packages` that only one Python imports, without its name."""
    tag = f".cpython-{version.replace('.', '')}-"
    found = (path.relative_to(packages).as_posix() for path in packages.rglob(f"*{tag}*.so"))
    return {name.partition(tag)[0] for name in found}


def test_the_emulator_has_each_compiled_part_of_the_layers():
    """Where one is missing, packages such as google_crc32c and MarkupSafe fall back to Python."""
    parts = set()
    for name in MAXIMUM_MEBIBYTES:
        parts |= _compiled_parts(layer_directory(name, "x86_64") / "python", RUNTIME_PYTHON)
    assert {"google_crc32c/_crc32c", "markupsafe/_speedups", "_cffi_backend"} <= parts
    assert parts <= _compiled_parts(emulator_packages(), EMULATOR_PYTHON)


def test_no_layer_holds_what_only_the_emulator_runs(libvips, powertools):
    tag = f"cpython-{RUNTIME_PYTHON.replace('.', '')}"
    for packages in (libvips, powertools):
        assert not [path for path in packages.rglob("*.cpython-*.so") if tag not in path.name]
    assert emulator_packages() == emulator.PACKAGES


def test_two_codecs_are_shipped(libvips):
    compiled = {path.name.partition(".")[0] for path in (libvips / "imagecodecs").glob("*.so")}
    assert compiled == {"_jpeg2k", "_jpeg8", "_shared", "_shared_cython"}


def test_the_layers_alone_open_images(libvips, powertools, tmp_path):
    code = (
        "import pyvips, aws_lambda_powertools;"
        "from aws_lambda_powertools import Logger, Metrics;"
        "import numpy, imagecodecs;"
        "tile = imagecodecs.jpeg8_encode(numpy.zeros((16, 16, 3), 'u1'), 90);"
        "assert imagecodecs.jpeg8_decode(tile).shape == (16, 16, 3);"
        "master = imagecodecs.jpeg2k_encode(numpy.zeros((16, 16, 3), 'u1'));"
        "assert imagecodecs.jpeg2k_decode(master).shape == (16, 16, 3);"
        "print(pyvips.__file__, pyvips.Image.black(8, 8).avg(), numpy.__file__)"
    )
    result = _run(code, emulator_packages(), powertools, libvips, cwd=tmp_path)
    assert result.stdout.split() == [
        str(libvips / "pyvips" / "__init__.py"),
        "0.0",
        str(emulator_packages() / "numpy" / "__init__.py"),
    ], result.stderr


def test_the_layers_are_small(libvips, powertools):
    assert _mebibytes(powertools) <= 3
    assert _mebibytes(libvips) + _mebibytes(powertools) <= 45
    documents, api, collections = (
        _mebibytes(layer_directory(name, "x86_64")) for name in (DOCUMENTS, API, COLLECTIONS)
    )
    # Of each, jsonschema-rs takes 14 and Snowball 1; of the last, lxml with its libxml2 takes 5.
    assert (documents <= 18, api <= 20, collections <= 26) == (True, True, True)
    assert _mebibytes(layer_directory(DOOR, "x86_64")) <= 2
    # OpenSSL, which is linked into cryptography, takes most of it.
    assert _mebibytes(layer_directory(AUTHORIZATION, "x86_64")) <= 18
    assert _mebibytes(layer_directory(STATISTICS, "x86_64")) <= 2
    # Half of it is OpenSSL in cryptography, which the SDK imports, and pydantic's core a fifth.
    assert _mebibytes(layer_directory(MCP, "x86_64")) <= 28
    for layer in (libvips, powertools):
        assert not (layer / "botocore").exists(), "the runtime brings its own"


# What reads pages is a container of its own, whose packages are in requirements/ocr.txt.
@pytest.mark.parametrize("step", sorted({*STEPS} - {ocr_function.STEP}))
def test_a_function_imports_nothing_that_its_layers_lack(step, libvips, powertools, tmp_path):
    """boto3 is the runtime's; here it is this environment's, linked into an empty folder."""
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    for name in ("boto3", "botocore", "s3transfer", "dateutil", "six.py", "urllib3"):
        (runtime / name).symlink_to(site / name)
    layers = [powertools]
    if step in PIXEL_STEPS:
        layers.append(libvips)
    if step in WITH_DOCUMENTS:
        layers.append(layer_directory(DOCUMENTS, "x86_64") / "python")
    if step in LAYER_OF:
        layers.append(layer_directory(LAYER_OF[step], "x86_64") / "python")
    # Parts compiled for this Python stand in for the layers' own, and for nothing else.
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    shipped = {path.name.partition(".")[0] for layer in layers for path in layer.iterdir()}
    for path in emulator_packages().iterdir():
        if path.name.partition(".")[0] in shipped:
            (compiled / path.name).symlink_to(path)
    path = (REPOSITORY, compiled, *layers, runtime)
    result = _run(f"import lambdas.{step}.handler", *path, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_only_functions_that_touch_pixels_have_libvips(templates):
    for function in templates.of("AWS::Lambda::Function"):
        step = function.properties["Handler"].split(".")[1]
        layers = [layer["Ref"] for layer in function.properties["Layers"]]
        two = step in {*PIXEL_STEPS, *WITH_DOCUMENTS, ANSWERER, UPDATER, COUNTER}
        assert len(layers) == (2 if two else 1), function.id
        assert any("Powertools" in layer for layer in layers)
        documents = any("Documents" in layer for layer in layers)
        assert documents == (step in WITH_DOCUMENTS), function.id


INGEST = """
import hashlib, sys, numpy, pyvips
from vitrine.adapters.memory.ingest_services import MemoryIngestServices

services = MemoryIngestServices()
pictures = {
    "a.tif": pyvips.Image.gaussnoise(700, 500, seed=1).cast("ushort").copy(interpretation="grey16"),
    "b.png": pyvips.Image.black(300, 900, bands=4).copy(interpretation="srgb"),
    "c.jpg": pyvips.Image.black(600, 600, bands=3).copy(interpretation="srgb"),
}
for name, picture in pictures.items():
    services.masters.put(name, picture.write_to_buffer(name[1:]), content_type="image/x")
    print(services.ingest(name).state, flush=True)
for entry in services.access_masters.list_keys().entries:
    body = services.access_masters.get(entry.key)[0]
    print(entry.key, hashlib.sha256(body).hexdigest(), flush=True)
"""
ALGEBRA = "numpy.ones(3).dot(numpy.ones(3))"


@pytest.fixture(scope="module")
def ingest(libvips, powertools, tmp_path_factory):
    """Ingest three masters with the layers alone; a call of linear algebra at the end is fatal."""
    path = (REPOSITORY, emulator_packages(), powertools, libvips)
    return _run(INGEST + ALGEBRA, *path, cwd=tmp_path_factory.mktemp("ingest"))


def test_an_ingest_calls_no_linear_algebra(ingest):
    """Three masters are published; a call of OpenBLAS, an empty library, ends the process."""
    assert ingest.stdout.split()[:3] == ["published"] * 3, ingest.stderr
    assert ingest.returncode == -signal.SIGILL


def test_the_layers_write_the_bytes_of_the_ordinary_packages(ingest, tmp_path):
    site = next(path for path in sys.path if path.endswith("site-packages"))
    ordinary = _run(INGEST + ALGEBRA, REPOSITORY, site, cwd=tmp_path)
    assert ordinary.returncode == 0, ordinary.stderr
    assert len(ordinary.stdout.splitlines()) == 6
    assert ingest.stdout == ordinary.stdout


def test_its_hash_is_that_of_its_inputs(dev):
    keys = {}
    for layer in dev.of("AWS::Lambda::LayerVersion"):
        keys.setdefault(layer.properties["Description"], set()).add(
            json.dumps(layer.properties["Content"]["S3Key"])
        )
    assert len(keys) == 6
    assert all(len(same) == 1 for same in keys.values()), "all stacks use one asset"
    for name in MAXIMUM_MEBIBYTES:
        assert inputs_digest(name, "x86_64") != inputs_digest(name, "arm64")


def test_a_synth_without_the_layer_says_how_to_make_it(tmp_path):
    code = (
        "import pathlib, runpy, sys; sys.path.insert(0, '.');"
        "import layers.build as b; b.LAYERS = pathlib.Path(sys.argv[1]);"
        "runpy.run_path('app.py')"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=REPOSITORY,
        env=os.environ | {"CDK_OUTDIR": str(tmp_path / "cdk.out")},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].endswith("run `make layers ARCHITECTURE=x86_64`")
    assert "Traceback" not in result.stderr
