"""Pixels of a part of a level, whose JPEG tiles are decoded directly into one picture."""

from vitrine.deliver.pyramids.level import RGB, StoredLevel
from vitrine.deliver.render.job import RenderJob
from vitrine.deliver.render.jpeg_codec import DamagedJpeg, decode_pixels
from vitrine.deliver.render.pixels import Pixels, address_of
from vitrine.deliver.render.tile_file import TileFile
from vitrine.deliver.tiles.assembly import ADOBE_RGB, JFIF
from vitrine.iiif.region import Box

_SOI = b"\xff\xd8"


def stream_prefix(level: StoredLevel) -> bytes:
    """Return the bytes that make a tile, less its SOI, a JPEG of its own in the right colours."""
    marker = ADOBE_RGB if level.photometric == RGB else JFIF
    return _SOI + marker + level.tables[2:-2]


def read_pixels(tiles: TileFile, box: Box, job: RenderJob, *, tolerant: bool) -> Pixels:
    """Return the RGB or gray pixels of `box`, in a picture of whole tiles.

    `tolerant` accepts what the decoder only warns of. Raises DamagedTile, Unavailable if the
    file's index is wrong, Abandoned.
    """
    width, height = tiles.level.tile_width, tiles.level.tile_height
    columns = range(box.x // width, -(-(box.x + box.width) // width))
    rows = range(box.y // height, -(-(box.y + box.height) // height))
    left, top = box.x - columns.start * width, box.y - rows.start * height
    across, down, bands = len(columns) * width, len(rows) * height, tiles.level.samples
    cut = Box(left, top, box.width, box.height)
    pixels = Pixels(bytearray(across * down * bands), across, down, bands, cut)
    start, row_bytes = address_of(pixels.memory), pixels.row_bytes
    prefix = stream_prefix(tiles.level)
    for row in rows:
        job.check()
        address = start + (row - rows.start) * height * row_bytes
        for column in columns:
            stream = prefix + memoryview(tiles.read(column, row))[len(_SOI) :]
            try:
                decode_pixels(
                    stream, address, row_bytes, (width, height), bands=bands, tolerant=tolerant
                )
            except DamagedJpeg as error:
                raise tiles.damage(column, row, str(error)) from error
            address += width * bands
    return pixels
