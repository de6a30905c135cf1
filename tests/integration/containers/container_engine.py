"""Builds the images and runs podman, with the project's own scripts and image store."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

ENGINE = REPOSITORY / "scripts" / "container-engine"
BUILD = REPOSITORY / "scripts" / "build-containers"
PROGRAMS = ("buildah", "podman", "crun", "mmdebstrap", "tini-static")
BUILD_SECONDS = 900


def obstacle() -> str:
    """Why no container can be built and run here; empty when nothing is in the way."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        return f"{', '.join(missing)} not installed"
    return "" if os.geteuid() == 0 else "not root"


def podman(
    *arguments: str, seconds: float = 60, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """`podman` with these arguments, on our store."""
    done = subprocess.run(
        [ENGINE, "podman", *arguments], capture_output=True, text=True, timeout=seconds
    )
    assert not check or done.returncode == 0, f"podman {' '.join(arguments)}: {done.stderr}"
    return done


def build(contexts: Mapping[str, Path]) -> None:
    """Build each image `localhost/vitrine-<name>` from its context."""
    images = [f"{name}={context}" for name, context in contexts.items()]
    done = subprocess.run([BUILD, *images], capture_output=True, text=True, timeout=BUILD_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
