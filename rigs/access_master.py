"""Access masters as our own ingest writes them, and their records."""

import tempfile
from pathlib import Path
from typing import Any

from vitrine.ingest.convert.access_master import read_structure, to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import STANDARD
from vitrine.records import Live

_MOMENT = "2026-01-01T00:00:00Z"


def write_standard(image: Any, path: Path) -> None:
    """Write a libvips image by the standard recipe: YCbCr 4:4:4 quality 90, directories first."""
    prepare_libvips()
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        output = to_file(path)
        write_access_master(image, Metadata(), STANDARD, output, Path(scratch), lambda rows: None)


def read_live(path: Path, identifier: str = "") -> Live:
    """Return the record of a published access master; its key is the name of its file.

    So is its identifier, unless another is given: iipsrv takes file names. Raises MalformedTiff.
    """
    size = path.stat().st_size
    with path.open("rb") as file:

        def read(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        structure = read_structure(read, size)
    width, height = structure.levels[0]
    return Live(
        identifier=identifier or path.name,
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
