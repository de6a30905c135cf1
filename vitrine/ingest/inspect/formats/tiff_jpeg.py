"""JPEG strips and tiles of a TIFF as they are coded, which their directory may state wrongly.

libtiff decodes what their own headers say, and warns. Source: TIFF Technical Note 2; TIFF 6.0,
section 21 (YCbCrSubSampling, 2 by 2 if absent).
"""

from dataclasses import replace

from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.formats.jpeg_format import Frame, read_frame
from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.ingest.rejections import damaged_file
from vitrine.store.tiff.reading import Directory
from vitrine.store.tiff.tags import Tag

_YCBCR = 6


def as_coded(file: MasterBytes, page: Directory, strips: Strips) -> Strips:
    """Return `strips` with the subsampling and the rows that are coded.

    Some writers code the lowest strip with as many rows as the others. Raises MalformedTiff, and
    MasterRejected with code damaged-file.
    """
    if page.integer(Tag.PHOTOMETRIC, -1) == _YCBCR:
        strips = replace(strips, subsampling=_read_frame(file, strips, 0).sampling)
    if strips.tiled:
        return strips
    down = -(-strips.image_height // strips.height)
    rows = strips.image_height - (down - 1) * strips.height
    coded = _read_frame(file, strips, down - 1).height
    if coded < rows or (down > 1 and coded > strips.height):
        raise damaged_file(f"the lowest strip is a JPEG of {coded:,} rows instead of {rows:,}")
    return replace(strips, extra_rows=coded - rows)


def _read_frame(file: MasterBytes, strips: Strips, number: int) -> Frame:
    try:
        return read_frame(Prefixed(b"", file, strips.offsets[number]))
    except MasterRejected as error:
        raise damaged_file(f"part {number + 1} is no JPEG") from error
