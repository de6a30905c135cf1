"""Code of Lambdas with its compiled files, which a Lambda, whose disk is read-only, cannot keep."""

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_lambda as lambda_

from layers.build import RUNTIME_PYTHON


@cache
def runtime_python() -> str | None:
    """Return the path of the Lambdas' Python on this machine, None if it has none."""
    find = ("-m", "uv", "python", "find", "--no-project", "--no-python-downloads", RUNTIME_PYTHON)
    found = subprocess.run([sys.executable, *find], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def compiled_code(
    source: Path, place: str, *, exclude: Sequence[str], asset_hash: str | None = None
) -> lambda_.Code:
    """Return the files of `source` as an asset that Lambda unpacks to `place`.

    They are compiled if this machine has the Lambdas' Python. The asset's hash is that of the
    sources, and of whether they are compiled: what two machines compile may differ in a few bytes.
    """
    bundling = None
    if python := runtime_python():
        bundling = cdk.BundlingOptions(
            image=cdk.DockerImage.from_registry("none"),  # required, and never pulled
            local=_CompiledFiles(python, source, place, exclude),
        )
    return lambda_.Code.from_asset(
        str(source),
        exclude=list(exclude),
        ignore_mode=cdk.IgnoreMode.GIT,
        asset_hash=asset_hash,
        bundling=bundling,
    )


@jsii.implements(cdk.ILocalBundling)
class _CompiledFiles:
    """Files of a folder next to what `python` compiles them to."""

    def __init__(self, python: str, source: Path, place: str, exclude: Sequence[str]) -> None:
        self._python = python
        self._source = source
        self._place = place
        self._options = cdk.CopyOptions(exclude=list(exclude), ignore_mode=cdk.IgnoreMode.GIT)

    def try_bundle(self, output_dir: str, *options: Any, **named: Any) -> bool:
        """Write the files. Raises CalledProcessError for one that is no Python."""
        cdk.FileSystem.copy_directory(str(self._source), output_dir, self._options)
        # Unchecked: in an archive all files are of one time.
        how = ("-q", "--invalidation-mode", "unchecked-hash", "-s", output_dir, "-p", self._place)
        subprocess.run([self._python, "-m", "compileall", *how, output_dir], check=True)
        return True
