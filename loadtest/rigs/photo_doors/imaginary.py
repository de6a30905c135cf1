"""imaginary, which Debian packages in its unstable release only: it runs in a root of its own."""

import http.client
import os
import shutil
import subprocess
from pathlib import Path

from loadtest.rigs.photo_doors.engine import PEERS, QUALITY, SIDE, WORKERS, Engine, send_request
from loadtest.rigs.rig import running_rig
from vitrine.errors import VitrineError

_BUILT_WITH = ("mmdebstrap", "chroot")
_PACKAGES = "imaginary,base-files"
_SUITE = "sid"
"""From Debian's own mirror, which mmdebstrap knows."""


def imaginary_engine() -> Engine:
    """Return imaginary as it comes, but for the quality."""
    root = PEERS / "imaginary"
    command = ["chroot", str(root), "/usr/bin/imaginary", "-a", "127.0.0.1", "-p", "{port}"]
    command += ["-cpus", str(WORKERS), "-log-level", "error"]

    def prepare(work: Path, port: int) -> dict[str, str]:
        _unpack_package(root)
        # One thread a photograph: agents are many, and libvips would start one for each core.
        return {"VIPS_CONCURRENCY": "1"}

    def send(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
        address = f"/fit?width={SIDE}&height={SIDE}&type=jpeg&quality={QUALITY}"
        return send_request(connection, "POST", address, photo, {"Content-Type": "image/jpeg"})

    return Engine(
        name="imaginary",
        start=lambda: running_rig("imaginary", {"imaginary": command}, prepare, ready="/health"),
        send=send,
    )


def _unpack_package(root: Path) -> None:
    """Unpack the package and what it depends on, unless it is there. Raises VitrineError."""
    if root.exists():
        return
    missing = [program for program in _BUILT_WITH if not shutil.which(program)]
    if os.geteuid():
        missing.append("root's rights")
    if missing:
        raise VitrineError(f"imaginary needs {', '.join(missing)}: leave it out of --doors")
    unpacked = root.with_suffix(".new")
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.parent.mkdir(parents=True, exist_ok=True)
    # A mirror may keep a state of the suite that is past its date.
    options = ["--variant=extract", f"--include={_PACKAGES}"]
    options += ['--aptopt=Acquire::Check-Valid-Until "false"']
    command = ["mmdebstrap", *options, "--quiet", _SUITE, str(unpacked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise VitrineError(f"imaginary was not unpacked: {done.stderr.strip()}")
    unpacked.rename(root)
