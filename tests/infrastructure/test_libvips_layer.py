"""The layer holds what Lambda and the emulator import, and says when it is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from layers.build import PYTHONS, REPOSITORY, build, inputs_digest


@pytest.fixture(scope="module")
def layer() -> Path:
    return build("x86_64") / "python"


@pytest.mark.parametrize("version", PYTHONS)
def test_every_python_finds_its_compiled_parts(layer, version):
    tag = f"cpython-{version.replace('.', '')}"
    assert list(layer.glob(f"_cffi_backend.{tag}*.so"))
    assert list((layer / "wrapt").glob(f"_wrappers.{tag}*.so"))
    assert list((layer / "numpy" / "_core").glob(f"_multiarray_umath.{tag}*.so"))


def test_two_codecs_are_shipped(layer):
    compiled = {path.name.partition(".")[0] for path in (layer / "imagecodecs").glob("*.so")}
    assert compiled == {"_jpeg2k", "_jpeg8", "_shared", "_shared_cython"}


def test_the_layer_alone_opens_images(layer):
    code = (
        "import pyvips, aws_lambda_powertools;"
        "from aws_lambda_powertools import Logger, Metrics;"
        "import numpy, imagecodecs;"
        "tile = imagecodecs.jpeg8_encode(numpy.zeros((16, 16, 3), 'u1'), 90);"
        "assert imagecodecs.jpeg8_decode(tile).shape == (16, 16, 3);"
        "master = imagecodecs.jpeg2k_encode(numpy.zeros((16, 16, 3), 'u1'));"
        "assert imagecodecs.jpeg2k_decode(master).shape == (16, 16, 3);"
        "print(pyvips.__file__, pyvips.Image.black(8, 8).avg())"
    )
    environment = os.environ | {"PYTHONPATH": str(layer), "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True
    )
    assert result.stdout.split() == [str(layer / "pyvips" / "__init__.py"), "0.0"], result.stderr


def test_the_layer_leaves_room_for_our_code(layer):
    size = sum(path.stat().st_size for path in layer.rglob("*") if path.is_file())
    assert size < 150 * 2**20
    assert not (layer / "botocore").exists(), "the runtime brings its own"


def test_its_hash_is_that_of_its_inputs(dev):
    digest = inputs_digest("x86_64")
    keys = {item.properties["Content"]["S3Key"] for item in dev.of("AWS::Lambda::LayerVersion")}
    assert len(keys) == 1, "both stacks use one asset"
    assert digest != inputs_digest("arm64")


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
    assert result.stderr.splitlines()[-1].endswith("run `make layers`")
    assert "Traceback" not in result.stderr


def test_an_unknown_environment_is_told_which_there_are(tmp_path):
    result = subprocess.run(
        [sys.executable, "app.py"],
        cwd=REPOSITORY,
        env=os.environ
        | {"CDK_OUTDIR": str(tmp_path), "CDK_CONTEXT_JSON": '{"environment": "moon"}'},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert "dev, staging, prod" in result.stderr.splitlines()[-1]
