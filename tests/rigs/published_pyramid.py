"""Access masters in a store's directory, and their records."""

import tempfile
from pathlib import Path
from typing import Any

from tests.rigs.records import live
from vitrine.ingest.convert.access_master import read_structure, to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import STANDARD
from vitrine.records import Live

_MOMENT = "2026-01-01T00:00:00Z"


def write_standard(image: Any, path: Path) -> None:
    """Write a libvips image as our own ingest does, by the standard recipe."""
    prepare_libvips()
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        output = to_file(path)
        write_access_master(image, Metadata(), STANDARD, output, Path(scratch), lambda rows: None)


def record_of(path: Path, identifier: str) -> Live:
    """Return the published record of a pyramid; its key is its name."""
    size = path.stat().st_size
    with path.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        structure = read_structure(read, size)
    return live(
        identifier,
        access_master_key=path.name,
        access_master_bytes=size,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=structure.levels,
        master_key=path.name,
        published_at=_MOMENT,
    )
