"""iiif-processor, the engine of serverless-iiif, behind the smallest of HTTP servers."""

import hashlib
import shutil
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

from rigs.rig import Rig, running_rig
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError

WORKERS = 2
"""Processes: one per core of the machine the service is sized for."""
SOURCE = Path(__file__).parent / "node"
INSTALLED = REPOSITORY / ".build" / "peers" / "iiif-processor"
_STAMP = ".installed"


def iiif_processor_rig(
    masters: Path, *, name: str = "iiif-processor", workers: int = WORKERS
) -> AbstractContextManager[Rig]:
    """Start iiif-processor on a folder of access masters; each file's stem is its identifier.

    Its node modules are installed first, unless they are. Raises VitrineError.
    """
    install_modules()
    command = ("node", str(INSTALLED / "server.js"), "{port}", str(masters), str(workers))

    def prepare(work: Path, port: int) -> dict[str, str]:
        return {"NODE_ENV": "production"}

    return running_rig(name, {"node": command}, prepare, ready="/ready")


def install_modules() -> None:
    """Put the modules into the build folder, as the lock file says. Raises VitrineError."""
    install_node_modules(SOURCE, INSTALLED)


def install_node_modules(source: Path, installed: Path) -> None:
    """Copy a server and its locks into the build folder, and install its modules, unless they are.

    Raises VitrineError.
    """
    files = [source / item for item in ("package.json", "package-lock.json", ".npmrc", "server.js")]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    stamp = installed / _STAMP
    if stamp.exists() and stamp.read_text() == digest:
        return
    if not shutil.which("npm"):
        raise VitrineError("rivals on Node need node and npm: install them, or leave these out")
    installed.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, installed / file.name)
    done = subprocess.run(
        ["npm", "ci", "--silent"], cwd=installed, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise VitrineError(f"npm ci failed in {installed}: {(done.stderr or done.stdout).strip()}")
    stamp.write_text(digest)
