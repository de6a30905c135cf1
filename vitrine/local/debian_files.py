"""Files of Debian packages: fetched when needed, checked by hash, never part of the project.

`apt-get download` needs no root.
"""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

FOLDER = REPOSITORY / ".build" / "photographs"


@dataclass(frozen=True, kw_only=True)
class DebianFile:
    """One file of a Debian package; sizes are in pixels, for a picture."""

    name: str
    package: str
    path: str
    sha256: str
    width: int = 0
    height: int = 0


def fetch(file: DebianFile, folder: Path = FOLDER) -> Path:
    """Return the path of a file on local disk, as `fetch_all` does."""
    return fetch_all([file], folder)[0]


def fetch_all(files: Sequence[DebianFile], folder: Path = FOLDER) -> list[Path]:
    """Return the paths of the files on local disk, after downloading packages if necessary.

    Raises RuntimeError if a package cannot be fetched, or if a file is not the one we know.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [file for file in files if not (folder / file.name).exists()]
    for package in sorted({file.package for file in missing}):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            root = extract_package(package, Path(scratch))
            for file in missing:
                if file.package == package:
                    _take_out(root, file, folder)
    for file in files:
        digest = hashlib.sha256((folder / file.name).read_bytes()).hexdigest()
        if digest != file.sha256:
            expected = f"expected {file.sha256}"
            raise RuntimeError(f"{folder / file.name} has SHA-256 {digest}, {expected}")
    return [folder / file.name for file in files]


def _take_out(root: Path, file: DebianFile, folder: Path) -> None:
    if not (root / file.path).is_file():
        raise RuntimeError(f"Debian's {file.package} has no {file.path}")
    shutil.move(root / file.path, folder / file.name)


def extract_package(package: str, scratch: Path) -> Path:
    """Download a package of Debian's and return the folder with its files, in `scratch`.

    Raises RuntimeError if it cannot be fetched.
    """
    scratch.chmod(0o755)
    command = ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package]
    result = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
    packages = list(scratch.glob(f"{package}_*.deb"))
    if result.returncode or not packages:
        raise RuntimeError(
            f"cannot fetch Debian's {package} ({result.stderr.strip()[-200:]}); "
            "run `apt-get update` once, then try again"
        )
    root = scratch / package
    subprocess.run(["dpkg-deb", "-x", packages[0], root], check=True)
    packages[0].unlink()
    return root
