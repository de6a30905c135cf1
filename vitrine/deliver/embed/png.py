"""Metadata chunks of a PNG file, embedded without touching its pixels.

Source: PNG specification, third edition, 11.3 (https://www.w3.org/TR/png-3/).
"""

import struct
import zlib
from collections.abc import Iterator
from functools import lru_cache

from vitrine.deliver.embed.selection import DerivativeMetadata
from vitrine.deliver.embed.srgb import SRGB

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_END = 33
"""End of IHDR, the first chunk of every PNG."""
_COLOURED = frozenset({2, 3, 6})
_COLOUR = frozenset({b"iCCP", b"sRGB", b"gAMA", b"cHRM", b"cICP"})
_TEXT = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"})
_XMP_KEYWORD = b"XML:com.adobe.xmp\0\0\0\0\0"
_RELATIVE_INTENT = b"\1"


def embed_in_png(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Replace the metadata of a PNG.

    Its own profile stays if `metadata` has no profile. A gray image of a pyramid in sRGB is only
    marked as sRGB. Anything but a PNG returns unchanged.
    """
    if image[:8] != _SIGNATURE or image[12:16] != b"IHDR" or len(image) < _HEADER_END:
        return image
    try:
        kept = list(_other_chunks(image, _TEXT | (_COLOUR if metadata.icc else frozenset())))
        width, height, _, colour = struct.unpack_from(">IIBB", image, 16)
    except struct.error:
        return image
    exif = metadata.exif(width, height, 3 if colour in _COLOURED else 1)
    return b"".join(
        (
            image[:_HEADER_END],
            _colour_chunk(metadata, gray=colour not in _COLOURED),
            _pack_chunk(b"eXIf", exif) if exif else b"",
            _pack_chunk(b"iTXt", _XMP_KEYWORD + metadata.xmp) if metadata.xmp else b"",
            *kept,
        )
    )


def _colour_chunk(metadata: DerivativeMetadata, *, gray: bool) -> bytes:
    profile = metadata.profile(gray=gray)
    if profile:
        return _pack_chunk(b"iCCP", b"icc\0\0" + _deflate_profile(profile))
    return _pack_chunk(b"sRGB", _RELATIVE_INTENT) if metadata.icc == SRGB else b""


@lru_cache(maxsize=8)
def _deflate_profile(profile: bytes) -> bytes:
    return zlib.compress(profile, 9)


def _other_chunks(image: bytes, without: frozenset[bytes]) -> Iterator[bytes]:
    """Yield the chunks after IHDR, except those of the types `without`. Raises struct.error."""
    at = _HEADER_END
    while at < len(image):
        length, kind = struct.unpack_from(">I4s", image, at)
        end = at + 12 + length
        if kind not in without:
            yield image[at:end]
        at = end


def _pack_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
