"""A WebP's chunks. Source: WebP Container Specification; RFC 6386, 9.1; RFC 9649."""

import struct

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, animation_stilled, data_blank
from vitrine.ingest.inspect.formats.exif_colour import colours_of_block, profile_by_exif
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_ANIMATION, _EXIF, _ALPHA, _ICC = 0x02, 0x08, 0x10, 0x20
_HEAD_BYTES = 30
_DECODER_BYTES_PER_PIXEL = 8
"""The decoder's picture and libvips' copy of it, four samples each."""
_MAX_CHUNKS = 1_000
_FIRST_CHUNK = 12
_BLANK_BYTES, _BLOCK_BYTES = 4_096, 1 << 20
_MAX_CHUNK_BYTES = 64 * 1024 * 1024


def read_webp(file: MasterBytes, most_pixels: int) -> PictureFormat:
    """Read the WebP's picture format. Raises MasterRejected."""
    head = read_exactly(file, 0, _HEAD_BYTES)
    if len(head) < _HEAD_BYTES:
        raise rejections.damaged_file(f"the file ends after {file.size:,} bytes")
    [length] = struct.unpack_from("<I", head, 4)
    if length + 8 > file.size:
        raise rejections.cut_off_file(file.size, length + 8)
    width, height, alpha, compression, flags = _read_frame(head)
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    icc = _read_chunk(file, b"ICCP") if flags & _ICC else None
    exif = _read_chunk(file, b"EXIF") if flags & _EXIF and not icc else None
    made_icc, notes = profile_by_exif(colours_of_block(exif or b""), "rgb")
    return PictureFormat(
        width=width,
        height=height,
        colour="rgb",
        bits=8,
        compression=compression,
        extra_bands=int(alpha),
        alpha=0 if alpha else None,
        icc=icc,
        made_icc=made_icc,
        decoder_bytes=width * height * _DECODER_BYTES_PER_PIXEL,
        notes=notes + _animation_notes(flags),
    )


def note_blank_data(file: MasterBytes) -> tuple[MasterNote, ...]:
    """Return a note if lossy pixels are zeros for long: decoders paint something there.

    Pictures of one colour have runs of some 200 bytes. Reads all of the file.
    """
    position = _FIRST_CHUNK
    for _ in range(_MAX_CHUNKS):
        head = read_exactly(file, position, 8)
        if len(head) < 8:
            break
        name, length = struct.unpack("<4sI", head)
        if name == b"VP8 ":
            blank = _find_blank(file, position + 8, position + 8 + length)
            return () if blank is None else (data_blank(f"from byte {blank:,} on"),)
        position += 8 + length + length % 2
    return ()


def _find_blank(file: MasterBytes, position: int, end: int) -> int | None:
    while position < end:
        block = read_exactly(file, position, min(_BLOCK_BYTES, end - position))
        found = block.find(bytes(_BLANK_BYTES))
        if found >= 0:
            return position + found
        if len(block) < _BLOCK_BYTES:
            break
        position += len(block) - _BLANK_BYTES + 1
    return None


def _read_frame(head: bytes) -> tuple[int, int, bool, str, int]:
    """Return width, height, alpha, compression and flags.

    The pictures of an animation may cover parts of it: it is transparent around the first.
    """
    name = head[12:16]
    if name == b"VP8X":
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
        return width, height, bool(head[20] & (_ALPHA | _ANIMATION)), "WebP", head[20]
    if name == b"VP8L":
        [bits] = struct.unpack_from("<I", head, 21)
        alpha = bool(bits >> 28 & 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, alpha, "WebP, lossless", 0
    if name == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF, False, "WebP", 0
    raise rejections.unreadable_file("the WebP has no picture")


def _read_chunk(file: MasterBytes, requested: bytes) -> bytes | None:
    position = _FIRST_CHUNK
    for _ in range(_MAX_CHUNKS):
        head = read_exactly(file, position, 8)
        if len(head) < 8:
            return None
        name, length = struct.unpack("<4sI", head)
        if name == requested:
            return read_exactly(file, position + 8, min(length, _MAX_CHUNK_BYTES)) or None
        position += 8 + length + length % 2
    return None


def _animation_notes(flags: int) -> tuple[MasterNote, ...]:
    if not flags & _ANIMATION:
        return ()
    return (animation_stilled("WebP"),)
