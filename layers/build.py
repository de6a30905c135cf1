"""Builds the Lambda layers, and what the emulator's Python needs in order to run the same Lambdas.

`python -m layers.build [--architecture x86_64|arm64]` writes `.build/layers/<architecture>/`:

powertools/python   logs and metrics, for every Lambda
libvips/python      libvips, codecs and numpy, for the Lambdas that touch pixels
documents/python    Brotli, msgspec, jsonschema-rs, Jinja and Snowball, for what publishes objects
api/python          the same and nh3, for the Lambda of the API
collections/python  the same, lxml, jmespath and urllib3, for the Lambda that harvests
door/python         msgspec, multipart, PyJWT and EXIF's names, for the Lambda of the photo door
authorization/python       cryptography, PyJWT, Jinja, msgspec and urllib3, for the Lambda of access
statistics/python   msgspec and COUNTER's lists of robots, for the Lambda that counts visits
mcp/python          the Model Context Protocol's SDK and msgspec, for the Lambda of its endpoint
emulator            the packages of all layers that are compiled for one Python, for this machine's,
                    which only the emulator puts on its path, in front of the layers

Nothing is built twice: a stamp holds the digest of the inputs.
"""

import argparse
import csv
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from email import message_from_string
from pathlib import Path

from layers.contents import prune

REPOSITORY = Path(__file__).resolve().parents[1]
LAYERS = REPOSITORY / ".build" / "layers"

POWERTOOLS, LIBVIPS, DOCUMENTS = "powertools", "libvips", "documents"
API, COLLECTIONS, DOOR, AUTHORIZATION = "api", "collections", "door", "authorization"
STATISTICS, MCP = "statistics", "mcp"
MAXIMUM_MEBIBYTES = {
    POWERTOOLS: 3,
    LIBVIPS: 45,
    DOCUMENTS: 18,
    API: 20,
    COLLECTIONS: 26,
    DOOR: 3,
    AUTHORIZATION: 18,
    STATISTICS: 2,
    MCP: 28,
}
"""Size of each layer, unpacked. A Lambda unpacks its layers when it starts; Lambda allows 250."""
RUNTIME_PYTHON = "3.13"
EMULATOR_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
PLATFORMS = {"x86_64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}

_IN_RUNTIME = ("bin", "boto3", "botocore*", "dateutil", "python_dateutil*", "six*", "urllib3*")
"""The Lambda runtime brings these: boto3 and what it needs."""
_IN_LAYER = {
    COLLECTIONS: ("bin",),
    AUTHORIZATION: ("bin",),
    DOOR: (*_IN_RUNTIME, "pillow.libs", "PIL/*.so", "PIL/[!E_]*", "PIL/E[!x]*"),
}
"""Less is left out of a layer that names urllib3 itself: the runtime's may be an older one; of
Pillow, only its names of EXIF's tags are shipped."""
_EVERY_PYTHON = {"abi3", "none"}
"""ABI tags of wheels that more than one Python imports (PEP 425)."""


def layer_directory(name: str, architecture: str) -> Path:
    """Return the folder of a layer, which holds `python/` once it is built."""
    return LAYERS / architecture / name


def emulator_packages() -> Path:
    """Return the folder of the packages compiled for the emulator's Python.

    `vitrine/local/emulator.py` names it as well.
    """
    return LAYERS / "x86_64" / "emulator"


def lock_file(name: str) -> Path:
    """Return the locked requirements of a layer."""
    return REPOSITORY / "requirements" / f"{name}.txt"


def inputs_digest(name: str, architecture: str) -> str:
    """Return the SHA-256 of all that decides a layer's content: the same on every machine."""
    digest = hashlib.sha256(architecture.encode())
    for source in (lock_file(name), *sorted(Path(__file__).parent.glob("*.py"))):
        digest.update(b"\0" + source.read_bytes())
    return digest.hexdigest()


def is_built(name: str, architecture: str) -> bool:
    """Return True if the layer is built from today's inputs."""
    return _is_current(layer_directory(name, architecture), inputs_digest(name, architecture))


def build(architecture: str) -> list[Path]:
    """Build the layers that are not current, and the emulator's packages; return their folders.

    Raises CalledProcessError, RuntimeError when a layer is too big.
    """
    folders = [_build_layer(name, architecture) for name in MAXIMUM_MEBIBYTES]
    return [*folders, _build_emulator_packages()] if architecture == "x86_64" else folders


def _build_layer(name: str, architecture: str) -> Path:
    target, digest = layer_directory(name, architecture), inputs_digest(name, architecture)
    if not _is_current(target, digest):
        with _scratch(target) as scratch:
            packages = Path(scratch) / "layer" / "python"
            _install(name, architecture, RUNTIME_PYTHON, packages)
            _remove(packages, _IN_LAYER.get(name, _IN_RUNTIME))
            prune(packages)
            _check_size(name, packages)
            _replace(target, packages.parent, digest)
    return target


def _build_emulator_packages() -> Path:
    target = emulator_packages()
    inputs = [inputs_digest(name, "x86_64") for name in MAXIMUM_MEBIBYTES]
    digest = " ".join([*inputs, EMULATOR_PYTHON])
    if not _is_current(target, digest):
        with _scratch(target) as scratch:
            packages = Path(scratch) / "packages"
            for name in MAXIMUM_MEBIBYTES:
                installed = Path(scratch) / name
                _install(name, "x86_64", EMULATOR_PYTHON, installed)
                _remove(installed, _IN_LAYER.get(name, _IN_RUNTIME))
                compiled = _compiled_for_one_python(installed)
                _remove(installed, [path.name for path in set(installed.iterdir()) - compiled])
                shutil.copytree(installed, packages, dirs_exist_ok=True)
            prune(packages)
            _replace(target, packages, digest)
    return target


def _compiled_for_one_python(packages: Path) -> set[Path]:
    """Return what the wheels of one Python installed in `packages`, by their tags and records."""
    compiled: set[Path] = set()
    for wheel in packages.glob("*.dist-info/WHEEL"):
        tags = [tag for key, tag in message_from_string(wheel.read_text()).items() if key == "Tag"]
        if not _EVERY_PYTHON & {abi for tag in tags for abi in tag.split("-")[1].split(".")}:
            with wheel.with_name("RECORD").open(newline="") as record:
                compiled |= {packages / row[0].partition("/")[0] for row in csv.reader(record)}
    return compiled


def _stamp(target: Path) -> Path:
    return target.with_name(f"{target.name}.stamp")


def _is_current(target: Path, digest: str) -> bool:
    stamp = _stamp(target)
    return target.exists() and stamp.exists() and stamp.read_text() == digest


def _scratch(target: Path) -> "tempfile.TemporaryDirectory[str]":
    target.parent.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=f"{target.name}-", dir=target.parent)


def _replace(target: Path, built: Path, digest: str) -> None:
    """Put the folder `built` in the place of `target`, which others may be building as well."""
    _stamp(target).unlink(missing_ok=True)
    if target.exists():
        target.rename(built.with_name("replaced"))
    built.rename(target)
    _stamp(target).write_text(digest)


def _install(name: str, architecture: str, python: str, target: Path) -> None:
    """Install a layer's locked packages for one version of Python, hash-checked.

    pyvips comes as source only. Without build isolation its build finds no pkgconfig module, so it
    always stays pure Python, whatever libvips this machine has.
    """
    options = ["--python-version", python, "--python-platform", PLATFORMS[architecture]]
    sources = ["--only-binary", ":all:", "--no-binary", "pyvips", "--no-build-isolation"]
    lock = ["--link-mode", "copy", "--require-hashes", "-r", str(lock_file(name))]
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", str(target)]
    subprocess.run([*install, *options, *sources, *lock], check=True)


def _remove(packages: Path, patterns: Sequence[str]) -> None:
    for pattern in patterns:
        for path in packages.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _check_size(name: str, folder: Path) -> None:
    mebibytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20
    if mebibytes > MAXIMUM_MEBIBYTES[name]:
        raise RuntimeError(
            f"The layer {name} has {mebibytes:.1f} MiB, more than {MAXIMUM_MEBIBYTES[name]}: "
            "leave out what no Lambda imports (layers/contents.py)."
        )


def main() -> None:
    """Build the layers of one architecture and print their folders."""
    parser = argparse.ArgumentParser(description="Build the Lambda layers from their lock files.")
    parser.add_argument("--architecture", choices=sorted(PLATFORMS), default="x86_64")
    architecture = parser.parse_args().architecture
    try:
        for folder in build(architecture):
            print(folder.relative_to(REPOSITORY))
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"The layers were not built: uv ended with {error.returncode}. Its messages are above."
        )


if __name__ == "__main__":
    main()
