"""Metadata chunks of a WebP file, embedded without touching its pixels.

Source: RFC 9649, 2.5 to 2.7.
"""

import struct
from collections.abc import Iterator

from vitrine.deliver.embed.selection import DerivativeMetadata

_RIFF_BYTES, _CHUNK_BYTES = 12, 8
_METADATA = frozenset({b"VP8X", b"EXIF", b"XMP "})
_ICC, _ALPHA, _EXIF, _XMP = 0x20, 0x10, 0x08, 0x04
_LOSSLESS_ALPHA = 1 << 28
_SIDE = 0x3FFF


def embed_in_webp(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Replace the metadata of a WebP file.

    Its own profile stays if `metadata` has no profile. Anything but a WebP file of a single picture
    returns unchanged.
    """
    if image[:4] != b"RIFF" or image[8:12] != b"WEBP":
        return image
    try:
        chunks = dict(_list_chunks(image))
        picture = _describe_picture(chunks)
    except (struct.error, IndexError):
        return image
    if picture is None:
        return image
    width, height, alpha = picture
    pixels = {kind: body for kind, body in chunks.items() if kind not in _METADATA}
    profile = metadata.profile(gray=False) or pixels.get(b"ICCP", b"")
    pixels.pop(b"ICCP", None)
    exif = metadata.exif(width, height)
    flags = alpha | _ICC * bool(profile) | _EXIF * bool(exif) | _XMP * bool(metadata.xmp)
    sides = struct.pack("<II", width - 1, height - 1)
    extended = struct.pack("<I", flags) + sides[:3] + sides[4:7]
    body = b"WEBP" + _pack_chunk(b"VP8X", extended) + _pack_chunk(b"ICCP", profile)
    body += b"".join(_pack_chunk(kind, data) for kind, data in pixels.items())
    body += _pack_chunk(b"EXIF", exif) + _pack_chunk(b"XMP ", metadata.xmp)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _list_chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = _RIFF_BYTES
    while at < len(image):
        kind, length = struct.unpack_from("<4sI", image, at)
        at += _CHUNK_BYTES
        yield kind, image[at : at + length]
        at += length + length % 2


def _describe_picture(chunks: dict[bytes, bytes]) -> tuple[int, int, int] | None:
    """Return width, height and alpha flag; None for animations and files without pixels."""
    if b"ANIM" in chunks:
        return None
    if b"VP8L" in chunks:
        [bits] = struct.unpack_from("<I", chunks[b"VP8L"], 1)
        alpha = _ALPHA if bits & _LOSSLESS_ALPHA else 0
        return (bits & _SIDE) + 1, (bits >> 14 & _SIDE) + 1, alpha
    if b"VP8 " in chunks:
        sides = struct.unpack_from("<HH", chunks[b"VP8 "], 6)
        width, height = (side & _SIDE for side in sides)
        if width and height:
            return width, height, chunks.get(b"VP8X", b"\0")[0] & _ALPHA
    return None


def _pack_chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk; b"" if it has no data."""
    return kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) if data else b""
