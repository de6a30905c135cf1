"""Lambdas find their code compiled, by an asset whose hash is that of its sources."""

import marshal
import sys
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_lambda as lambda_

from stacks.constructs import compiled_code
from stacks.constructs.asset_contents import COMPILED
from stacks.constructs.lambda_layers import RUNTIME

PYTHON = f"{sys.version_info.major}{sys.version_info.minor}"
UNCHECKED = 1
"""Flags of a compiled file that is never compared with its source (PEP 552)."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    package = tmp_path / "source" / "package"
    (package / "__pycache__").mkdir(parents=True)
    (package / "module.py").write_text("def answer():\n    return 42\n")
    (package / "__pycache__" / "module.cpython-36.pyc").write_bytes(b"of another Python")
    (package.parent / "omitted").mkdir()
    (package.parent / "omitted" / "commands.py").write_text("")
    return package.parent


def _asset(source: Path, output: Path) -> Path:
    """Return the asset of a function with the code below `source`."""
    app = cdk.App(outdir=str(output))
    lambda_.Function(
        cdk.Stack(app, "Stack"),
        "Function",
        runtime=RUNTIME,
        handler="package.module.answer",
        code=compiled_code.compiled_code(source, "/var/task", exclude=("/omitted", *COMPILED)),
    )
    app.synth()
    (asset,) = output.glob("asset.*/package")
    return asset.parent


def _files(asset: Path) -> set[str]:
    return {path.relative_to(asset).as_posix() for path in asset.rglob("*") if path.is_file()}


def test_code_lies_next_to_what_it_is_compiled_to(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_code, "runtime_python", lambda: sys.executable)
    asset = _asset(source, tmp_path / "first")
    compiled = f"package/__pycache__/module.cpython-{PYTHON}.pyc"
    assert _files(asset) == {"package/module.py", compiled}
    content = (asset / compiled).read_bytes()
    assert int.from_bytes(content[4:8], "little") == UNCHECKED
    assert marshal.loads(content[16:]).co_filename == "/var/task/package/module.py"
    assert _asset(source, tmp_path / "second").name == asset.name


def test_without_its_python_an_asset_has_sources_alone_and_another_hash(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_code, "runtime_python", lambda: sys.executable)
    compiled = _asset(source, tmp_path / "compiled")
    monkeypatch.setattr(compiled_code, "runtime_python", lambda: None)
    asset = _asset(source, tmp_path / "plain")
    assert _files(asset) == {"package/module.py"}
    assert asset.name != compiled.name
