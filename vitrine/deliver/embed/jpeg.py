"""Metadata segments of a JPEG file, embedded without touching its pixels.

Sources: ITU-T T.81 annex B; JFIF 1.02; Exif 2.32, 4.7; ICC.1:2010, B.4; XMP part 3, 1.1.3.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from vitrine.deliver.embed.selection import DerivativeMetadata

_EXIF, _XMP, _ICC = b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0", b"ICC_PROFILE\0"
_MAX_SEGMENT_LENGTH = 65_533
_MAX_PART_LENGTH = _MAX_SEGMENT_LENGTH - len(_ICC) - 2
_MAX_PARTS = 255
_SOI, _SOS, _APP0, _APP1, _APP2, _APP13 = 0xD8, 0xDA, 0xE0, 0xE1, 0xE2, 0xED
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_FILL = 0xFF
_GRAY = 1
_START = b"\xff\xd8"


def exif_segment(block: bytes) -> bytes:
    """Return APP1 with EXIF; b"" if there is no EXIF, or it is too long."""
    return _pack_segment(_APP1, _EXIF + block) if block else b""


def xmp_segment(packet: bytes) -> bytes:
    """Return APP1 with XMP; b"" if there is no packet, or it is too long."""
    return _pack_segment(_APP1, _XMP + packet) if packet else b""


@lru_cache(maxsize=16)
def icc_segments(profile: bytes, longest: int = _MAX_PARTS) -> bytes:
    """Return APP2 segments with a profile; b"" without one, or above `longest` segments."""
    parts = [profile[at : at + _MAX_PART_LENGTH] for at in range(0, len(profile), _MAX_PART_LENGTH)]
    if len(parts) > longest:
        return b""
    return b"".join(
        _pack_segment(_APP2, _ICC + bytes((number, len(parts))) + part)
        for number, part in enumerate(parts, 1)
    )


def embed_in_jpeg(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Replace the metadata of a JPEG.

    Its own profile stays if `metadata` has no profile. A gray image of a pyramid in colour gets
    no profile, since that of RGB pixels does not fit. Anything but a JPEG returns unchanged.
    """
    try:
        head = _read_head(image)
    except (IndexError, struct.error):
        return image
    if head is None:
        return image
    profile = metadata.profile(gray=head.components == _GRAY)
    return b"".join(
        (
            _START,
            *head.first,
            exif_segment(metadata.exif(head.width, head.height, head.components)),
            xmp_segment(metadata.xmp),
            icc_segments(profile),
            *(head.profile if not metadata.icc else ()),
            *head.others,
            memoryview(image)[head.end :],
        )
    )


@dataclass(frozen=True)
class _Head:
    """The segments before the first scan, without those that are replaced."""

    first: tuple[bytes, ...]
    """The segments of JFIF, which must stay in front."""
    profile: tuple[bytes, ...]
    others: tuple[bytes, ...]
    end: int
    """Offset of the first scan."""
    width: int
    height: int
    components: int


def _read_head(image: bytes) -> _Head | None:
    """Read the head, None if it has no scan. Raises IndexError, struct.error if it is cut off."""
    if not image.startswith(_START):
        return None
    first: list[bytes] = []
    profile: list[bytes] = []
    others: list[bytes] = []
    frame = None
    for marker, start, end in _list_segments(image):
        segment = image[start:end]
        if marker == _SOS:
            if frame is None:
                return None
            return _Head(tuple(first), tuple(profile), tuple(others), start, *frame)
        if marker in _FRAMES:
            height, width, components = struct.unpack_from(">HHB", segment, 5)
            frame = width, height, components
        if marker == _APP2 and segment.startswith(_ICC, 4):
            profile.append(segment)
        elif marker not in (_APP1, _APP13):
            (first if marker == _APP0 and not others else others).append(segment)
    return None


def _list_segments(image: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and end of each segment, up to the first scan or to other bytes."""
    at = len(_START)
    while image[at] == 0xFF:
        marker = image[at + 1]
        if marker == _FILL:
            at += 1
            continue
        [length] = struct.unpack_from(">H", image, at + 2)
        end = at + 2 + length
        if length < 2 or end > len(image):
            return
        yield marker, at, end
        if marker == _SOS:
            return
        at = end


def _pack_segment(marker: int, body: bytes) -> bytes:
    if len(body) > _MAX_SEGMENT_LENGTH:
        return b""
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body
