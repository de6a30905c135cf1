"""The images whose first requests are counted."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from loadtest.corpora.mirrored_masters import make_master
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import VitrineError
from vitrine.ingest.convert.access_master import read_structure
from vitrine.records import Live

KINDS: Mapping[str, str] = {"vitrine": "standard", "libvips": "tiffsave-90"}
"""Our access master and a plain libvips pyramid, by how `encode.worker` writes them."""
_MOMENT = "2026-01-01T00:00:00Z"


def make_image(kind: str, megapixels: int, scratch: Path) -> Path:
    """Write a pyramid of this kind and size unless it is there. Raises VitrineError, KeyError."""
    path = scratch / f"cold-{kind}-{megapixels}.tif"
    if not path.exists():
        master = make_master(megapixels, scratch)
        part = path.with_suffix(".part.tif")
        command = [sys.executable, "-m", "loadtest.studies.encoders.encode_worker", KINDS[kind]]
        command += [str(master.path.resolve()), str(part.resolve())]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
        if done.returncode:
            raise VitrineError(f"{kind} of {megapixels} MP: {done.stderr.strip()[-300:]}")
        part.rename(path)
    return path


def record_of(path: Path, identifier: str) -> Live:
    """Return the published record of a pyramid in the store's directory; its key is its name."""
    size = path.stat().st_size
    with path.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        structure = read_structure(read, size)
    width, height = structure.levels[0]
    return Live(
        identifier=identifier,
        version="0123456789abcdef",
        access_master_key=path.name,
        access_master_bytes=size,
        width=width,
        height=height,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=structure.levels,
        master_key=path.name,
        master_version="1",
        master_modified=_MOMENT,
        published_at=_MOMENT,
    )
