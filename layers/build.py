"""Builds the Lambda layer: what the Lambdas need that is not ours, out of requirements/layer.txt.

`python layers/build.py [--architecture x86_64|arm64]` writes
`.build/layers/libvips-<architecture>/python/`. The compiled parts of cffi, numpy and wrapt stand
there for every Python that runs our Lambdas (their file names differ by ABI tag): Lambda's own, and
the one of the machine's emulator. Nothing is built twice: a stamp holds the digest of the inputs.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
LOCK = REPOSITORY / "requirements" / "layer.txt"
LAYERS = REPOSITORY / ".build" / "layers"

PYTHONS = ("3.13", "3.11")
"""The first is the Lambda runtime, whose tree is taken whole; of the others only compiled parts."""
PLATFORMS = {"x86_64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}
MAXIMUM_MEBIBYTES = 250

# The Lambda runtime brings these (boto3 and what it needs); the rest no Lambda imports.
LEFT_OUT = ("bin", "boto3", "botocore*", "dateutil", "python_dateutil*", "six*", "urllib3*")
NOT_SHIPPED = (
    *("wrapt-stubs", "**/__pycache__", "**/tests", "**/RECORD", "**/INSTALLER", "**/REQUESTED"),
    *("**/direct_url.json", "**/uv_cache.json", "**/uv_build.json", ".lock"),
    *("numpy/**/*.pyi", "numpy/**/*.a", "numpy/f2py", "numpy/_core/include", "imagecodecs.libs/*"),
    "imagecodecs/*",
)
KEPT = (
    *("imagecodecs/__init__.py", "imagecodecs/imagecodecs.py", "imagecodecs/_jpeg8*"),
    *("imagecodecs/_shared*", "imagecodecs.libs/libjpeg-*"),
    *("imagecodecs/_jpeg2k*", "imagecodecs.libs/libopenjp2-*", "imagecodecs.libs/liblcms2-*"),
)
"""Of the hundred codecs we ship two: libjpeg-turbo, as our writer calls it, and OpenJPEG (with the
colour engine that its wrapper is linked to) for JPEG 2000 masters."""


def layer_directory(architecture: str) -> Path:
    """Where the layer of this architecture stands once built."""
    return LAYERS / f"libvips-{architecture}"


def inputs_digest(architecture: str) -> str:
    """SHA-256 of all that decides the layer's content: the same on every machine."""
    digest = hashlib.sha256(architecture.encode())
    for source in (LOCK, Path(__file__)):
        digest.update(b"\0" + source.read_bytes())
    return digest.hexdigest()


def is_built(architecture: str) -> bool:
    """Whether the layer stands there, built from today's inputs."""
    stamp = _stamp(architecture)
    return stamp.exists() and stamp.read_text() == inputs_digest(architecture)


def build(architecture: str) -> Path:
    """Build the layer unless it is built. Raises CalledProcessError, RuntimeError when too big."""
    target = layer_directory(architecture)
    if is_built(architecture):
        return target
    _stamp(architecture).unlink(missing_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    for version in PYTHONS:
        _install(architecture, version, target.with_name(f"{target.name}-{version}"))
    _merge(target)
    _prune(target / "python")
    _check_size(target)
    _stamp(architecture).write_text(inputs_digest(architecture))
    return target


def _stamp(architecture: str) -> Path:
    return layer_directory(architecture).with_suffix(".stamp")


def _install(architecture: str, version: str, target: Path) -> None:
    """Install the locked packages for one Python, hash-checked.

    pyvips comes as source only. Without build isolation its build finds no pkgconfig module, so it
    always stays pure Python, whatever libvips this machine has.
    """
    shutil.rmtree(target, ignore_errors=True)
    options = ["--python-version", version, "--python-platform", PLATFORMS[architecture]]
    sources = ["--only-binary", ":all:", "--no-binary", "pyvips", "--no-build-isolation"]
    lock = ["--link-mode", "copy", "--require-hashes", "-r", str(LOCK)]
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", str(target)]
    subprocess.run([*install, *options, *sources, *lock], check=True)


def _merge(target: Path) -> None:
    """The first Python's tree, plus the compiled parts of the others."""
    trees = [target.with_name(f"{target.name}-{version}") for version in PYTHONS]
    target.mkdir(parents=True)
    trees[0].rename(target / "python")
    for tree in trees[1:]:
        for compiled in sorted(tree.rglob("*.so*")):
            place = target / "python" / compiled.relative_to(tree)
            if not place.exists():
                shutil.copy2(compiled, place)
        shutil.rmtree(tree)


def _prune(root: Path) -> None:
    kept = {path for pattern in KEPT for path in root.glob(pattern)}
    for pattern in (*LEFT_OUT, *NOT_SHIPPED):
        for path in set(root.glob(pattern)) - kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _check_size(target: Path) -> None:
    mebibytes = sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) / 2**20
    if mebibytes > MAXIMUM_MEBIBYTES:
        raise RuntimeError(f"the layer is {mebibytes:.0f} MiB; Lambda takes {MAXIMUM_MEBIBYTES}")


def main() -> None:
    """Command line: build one architecture and say where it is."""
    parser = argparse.ArgumentParser(description="Build the Lambda layer from its lock file.")
    parser.add_argument("--architecture", choices=sorted(PLATFORMS), default="x86_64")
    architecture = parser.parse_args().architecture
    try:
        print(build(architecture).relative_to(REPOSITORY))
    except subprocess.CalledProcessError as error:
        sys.exit(f"the layer was not built: uv ended with {error.returncode}; see its lines above")


if __name__ == "__main__":
    main()
