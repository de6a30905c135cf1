"""EXIF, XMP, IPTC, texts and resolution of a PNG, before its pixels or behind them.

Sources: PNG Specification (Third Edition), 11.3.3 (texts) and 11.3.4; XMP Specification Part 3
(2020), 1.1.2; ImageMagick's and ExifTool's "Raw profile type" texts, which hold other carriers in
hexadecimal.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_SIGNATURE_BYTES = 8
_READ = frozenset({b"eXIf", b"pHYs", b"tEXt", b"zTXt", b"iTXt"})
_XMP_KEYWORD = "XML:com.adobe.xmp"
_XMP_SIGNATURE = b"http://ns.adobe.com/xap/1.0/\0"
_RAW_PROFILES = {
    "Raw profile type exif": "exif",
    "Raw profile type APP1": "exif",
    "Raw profile type iptc": "photoshop",
    "Raw profile type xmp": "xmp",
}
TEXTS = ("Title", "Author", "Description", "Copyright", "Disclaimer")
"""Keywords that describe the picture; comments, programs and devices are left out."""
_METRE = 1
_MAX_CHUNKS = 1_000_000
_MAX_CHUNK_BYTES = 64 * 1024 * 1024
_MAX_BLOCKS = 64
"""Texts and blocks that are looked at."""
_MAX_INFLATED_BYTES = 8 * 1024 * 1024


@dataclass
class PngMetadata:
    """What a PNG says about its picture."""

    blocks: dict[str, bytes] = field(default_factory=dict)
    """Blocks by the names of the parameters of `metadata_sources.from_blocks`; the first of each.
    """
    texts: dict[str, str] = field(default_factory=dict)
    """Texts by keyword, of `TEXTS`."""
    resolution: tuple[float, float] | None = None
    """Pixels per metre."""


def read_png_metadata(file: MasterBytes) -> PngMetadata:
    """Read the metadata; what is damaged, too long or not understood is left out."""
    found = PngMetadata()
    for name, data in _list_chunks(file):
        if name == b"pHYs" and len(data) == 9:
            across, down, unit = struct.unpack(">IIB", data)
            if unit == _METRE and across and down:
                found.resolution = float(across), float(down)
        elif name == b"eXIf":
            found.blocks.setdefault("exif", data)
        elif name != b"pHYs":
            _add_text(found, *_read_text(name, data))
    return found


def _add_text(found: PngMetadata, keyword: str, text: str) -> None:
    if keyword == _XMP_KEYWORD:
        found.blocks.setdefault("xmp", text.encode())
    elif keyword in TEXTS and text.strip():
        found.texts.setdefault(keyword, text.strip())
    elif keyword in _RAW_PROFILES and (profile := _raw_profile(text)):
        packet = profile.startswith(_XMP_SIGNATURE)
        name = "xmp" if packet else _RAW_PROFILES[keyword]
        found.blocks.setdefault(name, profile.removeprefix(_XMP_SIGNATURE))


def _list_chunks(file: MasterBytes) -> Iterator[tuple[bytes, bytes]]:
    position, blocks = _SIGNATURE_BYTES, 0
    for _ in range(_MAX_CHUNKS):
        head = read_exactly(file, position, 8)
        if len(head) < 8 or head[4:] == b"IEND" or blocks > _MAX_BLOCKS:
            return
        length, name = struct.unpack(">I4s", head)
        if not name.isalpha():
            return
        if name in _READ and length <= _MAX_CHUNK_BYTES:
            data = read_exactly(file, position + 8, length + 4)
            blocks += 1
            if zlib.crc32(name + data[:-4]).to_bytes(4) == data[-4:]:
                yield name, data[:-4]
        position += 12 + length


def _read_text(name: bytes, data: bytes) -> tuple[str, str]:
    """Return keyword and text, both empty if the chunk is damaged."""
    keyword, _, rest = data.partition(b"\0")
    if name == b"tEXt":
        return keyword.decode("latin-1"), rest.decode("latin-1")
    if name == b"zTXt":
        return keyword.decode("latin-1"), _inflate_text(rest[1:]).decode("latin-1")
    compressed, body = rest[:1] == b"\1", rest[2:]
    text = body.partition(b"\0")[2].partition(b"\0")[2]
    try:
        return keyword.decode("latin-1"), (_inflate_text(text) if compressed else text).decode()
    except UnicodeDecodeError:
        return "", ""


def _inflate_text(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _MAX_INFLATED_BYTES)
    except zlib.error:
        return b""


def _raw_profile(text: str) -> bytes:
    """Return the block in a text of a name, a length and hexadecimal digits; b"" for another."""
    _, _, digits = text.strip().partition("\n")
    length, _, digits = digits.strip().partition("\n")
    try:
        return bytes.fromhex(digits)[: int(length)]
    except ValueError:
        return b""
