"""Packages of npm that only tests use, installed as their lock has them."""

import fcntl
import shutil
import subprocess
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

BUILD = REPOSITORY / ".build"


def install_packages(locked: Path) -> Path:
    """Install the packages of a folder into `.build/NAME`, unless that is done; return it."""
    installed = BUILD / locked.name
    lock, done = locked / "package-lock.json", installed / "package-lock.json"
    with (BUILD / f"{locked.name}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # another worker may need them as well
        if done.exists() and done.read_bytes() == lock.read_bytes():
            return installed
        shutil.rmtree(installed, ignore_errors=True)
        installed.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(locked / name, installed)
        try:
            subprocess.run(["npm", "ci", "--silent", "--ignore-scripts"], cwd=installed, check=True)
        except subprocess.CalledProcessError:
            done.unlink()
            raise
    return installed
