"""Real photographs to measure with, from Debian's wallpaper packages.

They are fetched when a measurement or a test needs them, checked by hash, and never part of
the project. `apt-get download` needs no root.
"""

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / ".build" / "photographs"


@dataclass(frozen=True, kw_only=True)
class DebianFile:
    """One file of a Debian package; sizes in pixels where it is a picture."""

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

DRAGONFLY = DebianFile(
    name="dragonfly.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/Dragonfly_by_Bolly.jpg",
    sha256="af5af17841009732def24b09bb1e669a1b09d2b4bdeee7812c371101c30d2bb3",
    width=4224,
    height=3168,
)

KLEIBER = DebianFile(
    name="kleiber.jpg",
    package="lomiri-wallpapers-20.04",
    path="usr/share/backgrounds/Kleiber_by_Lukas_Baubkus.jpg",
    sha256="6572410c09f4492c74ccadde133565a14c0161617d5917d4c820c66d65a44ba7",
    width=6028,
    height=3391,
)

SEEDING = DebianFile(
    name="seeding.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/seeding_by_Clements_Engelhardt.jpg",
    sha256="a5634d1ab5e41a3568e92d4a894a500c92b891f9ff734e50bd224d6e185a605f",
    width=5312,
    height=2988,
)

SUNSET = DebianFile(
    name="sunset.jpg",
    package="lomiri-wallpapers-16.04",
    path="usr/share/backgrounds/sunset_by_Aitzol_Berasategi.jpg",
    sha256="474dab6a4b9f94dc76c29dfe30e9f5db4af0fd2e33fe5d695f8152b371efca18",
    width=4272,
    height=2848,
)

ADOBE_RGB = DebianFile(
    name="AdobeRGB1998.icc",
    package="colord-data",
    path="usr/share/color/icc/colord/AdobeRGB1998.icc",
    sha256="ba7062c37f90353145601f79fd05e3bf74b844dc3fb78f28f9d7afdd192272f8",
)


def fetch(file: DebianFile, folder: Path = FOLDER) -> Path:
    """The file on local disk, downloaded if it is not there yet.

    Raises RuntimeError when the package cannot be fetched or the file is not the one we know.
    """
    target = folder / file.name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            extracted = _extract(file, Path(scratch))
            shutil.move(extracted, target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    if digest != file.sha256:
        raise RuntimeError(f"{target} has SHA-256 {digest}, expected {file.sha256}")
    return target


def _extract(file: DebianFile, scratch: Path) -> Path:
    scratch.chmod(0o755)
    command = ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", file.package]
    result = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
    packages = list(scratch.glob("*.deb"))
    if result.returncode or not packages:
        raise RuntimeError(
            f"cannot fetch Debian's {file.package} ({result.stderr.strip()[-200:]}); "
            "run `apt-get update` once, then try again"
        )
    subprocess.run(["dpkg-deb", "-x", packages[0], scratch / "root"], check=True)
    return scratch / "root" / file.path
