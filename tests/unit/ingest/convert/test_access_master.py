"""The structure of an access master, as verification and repairs read it."""

import struct
from pathlib import Path

import pyvips

from vitrine.ingest.convert.access_master import read_structure
from vitrine.store.tiff.tags import Tag


def test_an_access_master_of_one_level_and_of_grays_is_read(tmp_path: Path) -> None:
    """A file without the number of its samples has one of each pixel (TIFF 6.0, page 39)."""
    path = tmp_path / "a.tif"
    gray = pyvips.Image.black(100, 50).cast("uchar")
    gray.tiffsave(str(path), compression="jpeg", tile=True, tile_width=256, tile_height=256)
    body = path.read_bytes()
    entry = struct.pack("<HHIHH", Tag.SAMPLES_PER_PIXEL, 3, 1, 1, 0)
    assert body.count(entry) == 1
    for stated in (body, body.replace(entry, struct.pack("<HHIHH", 65_000, 3, 1, 1, 0))):
        read = read_structure(
            lambda start, size, file=stated: file[start : start + size], len(stated)
        )
        assert (read.levels, read.bands) == (((100, 50),), 1)
        assert (read.tile_width, read.tile_height) == (256, 256)
