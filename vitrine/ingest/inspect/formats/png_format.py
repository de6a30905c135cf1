"""A PNG's chunks before its pixels. Source: PNG Specification (Third Edition), 11.2 and 11.3."""

import struct
import zlib

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, animation_stilled
from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS, Colour, PictureFormat
from vitrine.ingest.inspect.formats.png_colours import read_png_colours
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_COLOURS: dict[int, tuple[Colour, bool]] = {
    0: ("gray", False),
    2: ("rgb", False),
    3: ("rgb", False),
    4: ("gray", True),
    6: ("rgb", True),
}
"""Colour type -> colours, alpha."""
_SIGNATURE_BYTES = 8
_MAX_CHUNKS = 10_000
_MAX_CHUNK_BYTES = 64 * 1024 * 1024
_MAX_HEAD_BYTES = 128 * 1024 * 1024
_COMPRESSED_TEXTS = frozenset({b"zTXt", b"iTXt"})
_MAX_TEXT_BYTES = 4 * 1024 * 1024
"""Bytes of compressed texts: decoders inflate them to up to a thousand times as much."""


def read_png(file: MasterBytes, most_pixels: int) -> PictureFormat:
    """Read the PNG's picture format. Raises MasterRejected."""
    chunks = _read_chunks(file)
    header = chunks.get(b"IHDR", b"")
    if len(header) != 13:
        raise rejections.unreadable_file("the PNG has no header chunk")
    width, height, bits, colour_type, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    if not width or not height or colour_type not in _COLOURS:
        raise rejections.unreadable_file("the PNG's header chunk has impossible values")
    colour, alpha = _COLOURS[colour_type]
    alpha = alpha or b"tRNS" in chunks
    depth = 16 if bits == 16 else 8
    made_icc, notes = read_png_colours(chunks, colour)
    pixel_bytes = (COLOUR_BANDS[colour] + alpha) * depth // 8
    return PictureFormat(
        width=width,
        height=height,
        colour=colour,
        bits=depth,
        compression="deflate, interlaced" if interlaced else "deflate",
        extra_bands=int(alpha),
        alpha=0 if alpha else None,
        icc=_icc_profile(chunks),
        made_icc=made_icc,
        decoder_bytes=width * (height if interlaced else 1) * pixel_bytes,
        notes=notes + _animation_notes(chunks),
    )


def check_png_end(file: MasterBytes) -> None:
    """Raise MasterRejected, damaged-file, for a PNG without its last chunk."""
    position, name = _SIGNATURE_BYTES, b""
    while name != b"IEND":
        head = read_exactly(file, position, 8)
        if len(head) < 8 or position + 12 > file.size:
            raise rejections.damaged_file(f"the PNG's last chunk is missing at byte {position:,}")
        length, name = struct.unpack(">I4s", head)
        _check_name(name, position)
        position += 12 + length


def _check_name(name: bytes, position: int) -> None:
    """Raise MasterRejected, damaged-file, unless it is a name: letters. Source: PNG, 5.3."""
    if not name.isalpha():
        raise rejections.damaged_file(f"byte {position:,} of the PNG begins no chunk")


def _read_chunks(file: MasterBytes) -> dict[bytes, bytes]:
    """Return the chunks before the pixels, the first of each name."""
    chunks: dict[bytes, bytes] = {}
    position, text_bytes = _SIGNATURE_BYTES, 0
    for _ in range(_MAX_CHUNKS):
        head = read_exactly(file, position, 8)
        if len(head) < 8:
            break
        length, name = struct.unpack(">I4s", head)
        if name == b"IDAT":
            return chunks
        _check_name(name, position)
        if length > _MAX_CHUNK_BYTES:
            break
        text_bytes += length if name in _COMPRESSED_TEXTS else 0
        if position > _MAX_HEAD_BYTES or text_bytes > _MAX_TEXT_BYTES:
            raise rejections.too_expensive_to_read(
                f"{position:,} bytes before its pixels, {text_bytes:,} of them compressed texts"
            )
        data = read_exactly(file, position + 8, length + 4)
        if len(data) < length + 4 or zlib.crc32(name + data[:-4]).to_bytes(4) != data[-4:]:
            raise rejections.damaged_file(f"the chunk {name.decode('ascii', 'replace')} is damaged")
        chunks.setdefault(name, data[:-4])
        position += 12 + length
    raise rejections.unreadable_file("the PNG ends, or is damaged, before its pixels begin")


def _icc_profile(chunks: dict[bytes, bytes]) -> bytes | None:
    data = chunks.get(b"iCCP")
    if data is None or b"cICP" in chunks:
        return None
    compressed = data.partition(b"\0")[2][1:]
    try:
        return zlib.decompressobj().decompress(compressed, _MAX_CHUNK_BYTES) or b"\0"
    except zlib.error:
        return b"\0"


def _animation_notes(chunks: dict[bytes, bytes]) -> tuple[MasterNote, ...]:
    if b"acTL" not in chunks:
        return ()
    return (animation_stilled("APNG"),)
