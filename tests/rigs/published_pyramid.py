"""The record of a pyramid that lies in a store's directory."""

from pathlib import Path

from vitrine.ingest.convert.access_master import read_structure
from vitrine.records import Live

_MOMENT = "2026-01-01T00:00:00Z"


def record_of(path: Path, identifier: str) -> Live:
    """Return the published record of a pyramid; its key is its name."""
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
