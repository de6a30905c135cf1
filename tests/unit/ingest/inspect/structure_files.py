"""Files that a reader without limits would follow for minutes, and sound ones of each format."""

import io
import struct
import zlib
from collections.abc import Callable
from functools import cache

import numpy as np
import tifffile
from PIL import Image

from tests.rigs.corpora.jpeg2000_masters import codestream, enumerated, jp2, tiled
from vitrine.store.ranged import BLOCK_BYTES

PIXELS = np.random.default_rng(7).integers(0, 256, (40, 56, 3), "u1")


class Repeated:
    """`head`, `unit` repeated and `tail`: a large file that takes no memory; counts reads."""

    def __init__(self, head: bytes, unit: bytes = b"", times: int = 0, tail: bytes = b"") -> None:
        self._head, self._unit, self._tail = head, unit, tail
        self._middle = len(unit) * times
        self.size = len(head) + self._middle + len(tail)
        self.reads = 0
        self.bytes = 0

    def read_at(self, position: int, size: int) -> bytes:
        self.reads += 1
        data = self._piece(position, min(size, 60_000))
        self.bytes += len(data)
        return data

    def _piece(self, position: int, size: int) -> bytes:
        if position < len(self._head):
            return self._head[position : position + size]
        position -= len(self._head)
        if position < self._middle:
            rest = position % len(self._unit)
            size = min(size, self._middle - position)
            return (self._unit * (-(-(rest + size) // len(self._unit))))[rest : rest + size]
        position -= self._middle
        return self._tail[position : position + size]


def saved(file_format: str, **options: object) -> bytes:
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, file_format, **options)
    return file.getvalue()


def chunk(name: bytes, data: bytes = b"") -> bytes:
    return struct.pack(">I", len(data)) + name + data + zlib.crc32(name + data).to_bytes(4)


def tiff(**options: object) -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, PIXELS, **options)
    return file.getvalue()


@cache
def sound() -> dict[str, bytes]:
    """One file of each format and way of storing pixels."""
    return {
        "jpeg": saved("JPEG"),
        "progressive": saved("JPEG", progressive=True),
        "png": saved("PNG"),
        "interlaced": saved("PNG", interlace=1),
        "webp": saved("WEBP"),
        "lossless webp": saved("WEBP", lossless=True),
        "webp with profile": saved("WEBP", icc_profile=bytes(300)),
        "gif": saved("GIF"),
        "bmp": saved("BMP"),
        "avif": saved("AVIF"),
        "strips": tiff(rowsperstrip=2),
        "tiles": tiff(tile=(16, 16), bigtiff=True),
        "lzw": saved("TIFF", compression="tiff_lzw"),
        "jp2": jp2(codestream(PIXELS), enumerated(16)),
        "tiled j2k": tiled(PIXELS, 16),
    }


def jpeg_parts() -> tuple[bytes, bytes, bytes]:
    """A progressive JPEG up to its last scan, that scan, and the end."""
    body = sound()["progressive"]
    last = body.rindex(b"\xff\xda")
    return body[:last], body[last:-2], body[-2:]


def _riff(chunks: bytes, length: int) -> bytes:
    head = b"VP8X" + struct.pack("<I", 10) + b"\x20\0\0\0" + bytes((55, 0, 0, 39, 0, 0))
    return b"RIFF" + struct.pack("<I", 4 + len(head) + length) + b"WEBP" + head + chunks


def _tiff_of(pages: int, parts: int, sub_images: int = 0) -> bytes:
    """A TIFF of pages whose offsets, lengths and sub-images are the same large arrays."""
    arrays = 8
    at = arrays + 2 * 4 * parts + 4 * sub_images
    body = b"II*\0" + struct.pack("<I", at) + struct.pack(f"<{parts}I", *[8] * parts) * 2
    body += struct.pack("<I", at) * sub_images
    fields = [(256, 4, 1, 8), (257, 4, 1, parts), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
    fields += [(273, 4, parts, arrays), (277, 3, 1, 1), (278, 4, 1, 1)]
    fields += [(279, 4, parts, arrays + 4 * parts)]
    if sub_images:
        fields += [(330, 4, sub_images, arrays + 8 * parts)]
    size = 2 + 12 * len(fields) + 4
    for page in range(pages):
        following = at + (page + 1) * size if page + 1 < pages else 0
        body += struct.pack("<H", len(fields))
        body += b"".join(struct.pack("<HHII", *field) for field in fields)
        body += struct.pack("<I", following)
    return body


def _overlapping_tiff() -> bytes:
    """A TIFF of 2,000 LZW strips of one row, which all are the whole file."""
    file = io.BytesIO()
    tifffile.imwrite(
        file, np.zeros((2_000, 8), "u1"), rowsperstrip=1, metadata=None, description="x" * 200_000
    )
    body = bytearray(file.getvalue())
    with tifffile.TiffFile(io.BytesIO(bytes(body))) as opened:
        tags = opened.pages[0].tags
        offsets, counts, compression = tags[273], tags[279], tags[259]
    body[compression.valueoffset : compression.valueoffset + 2] = struct.pack("<H", 5)
    width = {3: "H", 4: "I"}
    for tag, value in ((offsets, 8), (counts, min(len(body) - 8, 65_535))):
        form = f"<{tag.count}{width[tag.dtype]}"
        body[tag.valueoffset : tag.valueoffset + struct.calcsize(form)] = struct.pack(
            form, *[value] * tag.count
        )
    return bytes(body)


def _png(extra: bytes = b"") -> bytes:
    """A PNG up to its first IDAT, with chunks before it."""
    body = sound()["png"]
    return body[: body.index(b"IDAT") - 4] + extra


HOSTILE: dict[str, tuple[Callable[[], Repeated], str]] = {
    "a million comments after a JPEG's scan": (
        lambda: Repeated(b"".join(jpeg_parts()[:2]), b"\xff\xfe\0\2", 1_000_000, jpeg_parts()[2]),
        "too-expensive-to-read",
    ),
    "comments before the first scan": (
        lambda: Repeated(sound()["jpeg"][:20], b"\xff\xfe\0\2", 1_000_000, sound()["jpeg"][20:]),
        "unreadable-file",
    ),
    "garbage before the first scan": (
        lambda: Repeated(sound()["jpeg"][:20], b"\0", 10_000_000, sound()["jpeg"][20:]),
        "unreadable-file",
    ),
    "a gigabyte of APP1": (
        lambda: Repeated(
            sound()["jpeg"][:20], b"\xff\xe1\xff\xff".ljust(65_537, b"x"), 16_000, sound()["jpeg"]
        ),
        "too-expensive-to-read",
    ),
    "2,010 scans": (
        lambda: Repeated(jpeg_parts()[0], jpeg_parts()[1], 2_010, jpeg_parts()[2]),
        "too-many-scans",
    ),
    "100 MB of restart markers": (
        lambda: Repeated(b"".join(jpeg_parts()[:2]), b"\xff\xd0", 50_000_000, jpeg_parts()[2]),
        "",
    ),
    "ten million empty IDATs": (
        lambda: Repeated(_png(), chunk(b"IDAT"), 10_000_000, sound()["png"][-12:]),
        "too-expensive-to-read",
    ),
    "ten million chunks before the pixels": (
        lambda: Repeated(_png(), chunk(b"tEXt", b"k\0v"), 10_000_000, sound()["png"][-12:]),
        "unreadable-file",
    ),
    "texts that inflate to 600 GB": (
        lambda: Repeated(
            _png(), chunk(b"zTXt", b"k\0\0" + bytes(60_000)), 9_000, sound()["png"][33:]
        ),
        "too-expensive-to-read",
    ),
    "a million chunks of a WebP": (
        lambda: Repeated(_riff(b"", 9_000_000), b"JUNK\1\0\0\0x\0", 900_000, b""),
        "",
    ),
    "1,000 pages that share a megabyte of positions": (
        lambda: Repeated(_tiff_of(1_000, 130_000)),
        "too-expensive-to-read",
    ),
    "100,000 sub-images": (lambda: Repeated(_tiff_of(1, 2, 100_000)), "too-expensive-to-read"),
    "strips that overlap": (lambda: Repeated(_overlapping_tiff()), "too-expensive-to-read"),
    "a million boxes": (
        lambda: Repeated(sound()["jp2"], struct.pack(">I4s", 8, b"free"), 1_000_000),
        "unreadable-file",
    ),
    "a million markers of a codestream": (
        lambda: Repeated(
            sound()["tiled j2k"][: _first_tile()],
            b"\xff\x64\0\2",
            1_000_000,
            sound()["tiled j2k"][_first_tile() :],
        ),
        "unreadable-file",
    ),
}


def _first_tile() -> int:
    return sound()["tiled j2k"].index(b"\xff\x90\0\x0a")


def scattered_tiff(blocks: int, sub_images: int) -> bytes:
    """A TIFF whose sub-images' directories are in all blocks of the file, in turns."""
    directory = struct.pack("<H", 2) + struct.pack("<HHII", 256, 4, 1, 9)
    directory += struct.pack("<HHII", 257, 4, 1, 9) + bytes(4)
    places = [number * BLOCK_BYTES + 64 for number in range(1, blocks)]
    body = bytearray(blocks * BLOCK_BYTES)
    for place in places:
        body[place : place + len(directory)] = directory
    body += struct.pack(f"<{sub_images}I", *(places * sub_images)[:sub_images])
    fields = ((256, 4, 1, 9), (257, 4, 1, 9), (330, 4, sub_images, blocks * BLOCK_BYTES))
    body[:8] = b"II*\0" + struct.pack("<I", len(body))
    body += struct.pack("<H", 3) + b"".join(struct.pack("<HHII", *f) for f in fields) + bytes(4)
    return bytes(body)
