"""Which codecs there are, and in which versions."""

import subprocess
from collections.abc import Sequence

import imagecodecs
from PIL import features

from loadtest.servers.server_versions import list_versions
from vitrine.errors import VitrineError

_PACKAGES = ("libopenjp2-7", "libtiff6")
"""Packages that Debian's iipsrv decodes with."""


def codec_versions(servers: Sequence[str]) -> dict[str, str]:
    """Return the versions of the servers and of the codecs in the Python packages."""
    entries = imagecodecs.version().split(", ")
    inside = dict(entry.rsplit("-", 1) for entry in entries if "-" in entry)
    found = list_versions(servers)
    if "iipsrv" in servers:
        found |= {name: _installed_version(name) for name in _PACKAGES}
    return found | {
        "imagecodecs": imagecodecs.__version__,
        "OpenJPH (imagecodecs)": inside.get("openjph", "unknown"),
        "libjpeg-turbo (imagecodecs)": inside.get("libjpeg_turbo", "unknown"),
        "OpenJPEG (Pillow)": features.version("jpg_2000") or "not there",
    }


def check_codecs() -> None:
    """Raises VitrineError, which says what to do, where a codec is not there."""
    missing = [
        name for name in ("HTJ2K", "JPEG2K", "JPEG8") if not getattr(imagecodecs, name).available
    ]
    if not features.check("jpg_2000"):
        missing.append("Pillow's JPEG 2000")
    if missing:
        raise VitrineError(
            f"codecs are not there: {', '.join(missing)}; `make setup-tests` installs them"
        )


def _installed_version(package: str) -> str:
    command = ["dpkg-query", "-W", "-f=${Version}", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not installed as a package"
