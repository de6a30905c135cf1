"""Files of Debian packages: fetched when needed, checked by hash, never part of the project.

`apt-get download` needs no root.
"""

import hashlib
import shutil
import subprocess
import tempfile
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


ELEPHANTS = DebianFile(
    name="elephants.jpg",
    package="mate-backgrounds",
    path="usr/share/backgrounds/mate/abstract/Elephants_5640x3172.jpg",
    sha256="7ab602cd55aedd107743973353e58771860d1a74a0cd0701e8351096535edde8",
    width=5640,
    height=3172,
)
"""A photographed painting, grainy, 17.9 megapixels, sRGB."""


def fetch(file: DebianFile, folder: Path = FOLDER) -> Path:
    """Return the path of the file on local disk, after downloading it if necessary.

    Raises RuntimeError if the package cannot be fetched, or if the file is not the one we know.
    """
    target = folder / file.name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            extracted = extract_package(file.package, Path(scratch)) / file.path
            shutil.move(extracted, target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    if digest != file.sha256:
        raise RuntimeError(f"{target} has SHA-256 {digest}, expected {file.sha256}")
    return target


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
