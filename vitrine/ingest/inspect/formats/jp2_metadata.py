"""EXIF, XMP and IPTC of a JP2: in boxes of their own, named by a UUID.

Source: ISO/IEC 15444-1, I.7.2; XMP Specification Part 3 (2020), 1.1.5; ExifTool's documentation of
the JPEG 2000 UUIDs for EXIF and IPTC.
"""

from vitrine.ingest.inspect.formats.jp2_boxes import contents, find_boxes
from vitrine.ingest.inspect.formats.jp2_header import read_jp2_header
from vitrine.ingest.inspect.master_bytes import MasterBytes

_UUID_BYTES = 16
_BLOCKS = {
    b"JpgTiffExif->JP2": "exif",
    bytes.fromhex("be7acfcb97a942e89c71999491e3afac"): "xmp",
    bytes.fromhex("33c7a4d2b81d4723a0baf1a3e097ad38"): "photoshop",
}
"""Names of the parameters of `metadata_sources.from_blocks`, which accepts bare IPTC as well."""


def read_jp2_metadata(file: MasterBytes) -> tuple[dict[str, bytes], tuple[float, float] | None]:
    """Return the first block of each name, and the resolution in pixels per metre, if any.

    A raw codestream has neither. Raises MasterRejected.
    """
    blocks: dict[str, bytes] = {}
    resolution = None
    if file.read_at(0, 2) == b"\xff\x4f":
        return blocks, resolution
    for box in find_boxes(file):
        if box.name == b"jp2h" and resolution is None:
            resolution = read_jp2_header(contents(file, box)).resolution
        if box.name == b"uuid" and box.length > _UUID_BYTES:
            data = contents(file, box)
            name = _BLOCKS.get(data[:_UUID_BYTES])
            if name:
                blocks.setdefault(name, data[_UUID_BYTES:])
    return blocks, resolution
