"""A JPEG's markers, and the same file with clean markers.

libjpeg gives the same warning for trifles in markers (an unknown JFIF revision) and for padded
pixels. With a rewritten head only the pixels can go wrong, so every warning counts.
Source: ITU-T T.81, annex B; JFIF 1.02; Adobe Technical Note 5116 (APP14).
"""

import struct
from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.exif_colour import (
    ExifColours,
    colours_of_block,
    profile_by_exif,
)
from vitrine.ingest.inspect.formats.jpeg_pictures import note_other_pictures
from vitrine.ingest.inspect.formats.jpeg_scans import check_scans, longest_seconds
from vitrine.ingest.inspect.formats.picture_format import Colour, PictureFormat
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed
from vitrine.store.ranged import read_exactly

_FRAMES = {
    0xC0: "baseline",
    0xC1: "extended",
    0xC2: "progressive",
    0xC3: "lossless",
    0xC9: "arithmetic",
    0xCA: "progressive arithmetic",
    0xCB: "lossless arithmetic",
    0xF7: "JPEG-LS",
}
LOSSLESS = f"JPEG, {_FRAMES[0xC3]}"
"""The compression of a JPEG of ITU-T T.81, annex H."""
_PROGRESSIVE = frozenset({0xC2, 0xCA})
_COEFFICIENT_BYTES = 2
"""The coefficients of a JPEG of several scans are all held until the last one has been read."""
_OTHER_FRAMES = frozenset({0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF})
_READABLE_FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA})
_JPEG_LS = 0xF7
"""Another standard with JPEG's markers: ITU-T T.87."""
_START, _END, _SCAN, _JFIF, _ADOBE = 0xD8, 0xD9, 0xDA, 0xE0, 0xEE
_FIRST_MARKER, _COMMENT = 0xC0, 0xFE
_EXIF, _ICC = 0xE1, 0xE2
_TABLES = frozenset({0xC4, 0xCC, 0xDB, 0xDD})
_KEPT = _TABLES | _FRAMES.keys() | {_EXIF, _ICC, _ADOBE}
_COLOURS: dict[int, Colour] = {1: "gray", 3: "rgb", 4: "cmyk"}
_JFIF_SEGMENT = b"\xff\xe0\x00\x10JFIF\0\x01\x02\x00\x00\x01\x00\x01\0\0"
_FRAME_BYTES = 8
"""Up to the sampling of the first component."""
_MAX_MARKERS = 100_000
_MAX_HEAD_BYTES = 64 << 20


@dataclass(frozen=True)
class JpegSegment:
    """A marker and its payload."""

    marker: int
    payload: bytes

    def as_bytes(self) -> bytes:
        """Return it as it is in a file."""
        return struct.pack(">BBH", 0xFF, self.marker, len(self.payload) + 2) + self.payload


@dataclass(frozen=True)
class Frame:
    """What the frame header says about the pixels."""

    marker: int
    bits: int
    height: int
    width: int
    components: int
    sampling: tuple[int, int]
    """Samples of the first component in a coding unit, across and down."""


def read_frame(file: MasterBytes) -> Frame:
    """Read the frame header of a JPEG. Raises MasterRejected."""
    return _find_frame(read_segments(file)[0])


def read_jpeg(file: MasterBytes, most_pixels: int) -> tuple[PictureFormat, Prefixed]:
    """Return the JPEG's picture format, and the file with a clean head. Raises MasterRejected."""
    segments, scan = read_segments(file)
    frame = _find_frame(segments)
    width, height = frame.width, frame.height
    if width * height > most_pixels:
        raise rejections.too_many_pixels(width, height, most_pixels)
    _check_frame(frame)
    scan_components = read_exactly(file, scan + 4, 1)[:1]
    several_scans = frame.marker in _PROGRESSIVE or scan_components < bytes([frame.components])
    colour, icc = _COLOURS[frame.components], _icc_profile(segments)
    made_icc, notes = (None, ()) if icc else profile_by_exif(_exif_colours(segments), colour)
    picture_format = PictureFormat(
        width=width,
        height=height,
        colour=colour,
        bits=8,
        compression=f"JPEG, {_FRAMES[frame.marker]}",
        icc=icc,
        made_icc=made_icc,
        notes=notes + note_other_pictures([(s.marker, s.payload) for s in segments]),
        decoder_bytes=width * height * frame.components * _COEFFICIENT_BYTES
        if several_scans
        else 0,
        decoder_seconds=longest_seconds(width * height) if several_scans else 0.0,
    )
    return picture_format, Prefixed(_clean_head(segments), file, scan)


def check_jpeg_end(file: MasterBytes, pixels: int) -> None:
    """Walk through all scans of a JPEG of known size, and raise MasterRejected.

    Codes: damaged-file for interrupted pixels or a missing end marker, too-many-scans.
    """
    _, scan = read_segments(file)
    check_scans(file, scan, pixels)


def jpeg_metadata_bytes(file: MasterBytes) -> int:
    """Return how many bytes of metadata and comments stand before the first scan of a JPEG.

    Its colour profile does not count. Raises MasterRejected.
    """
    segments, _ = read_segments(file)
    described = (s for s in segments if s.marker not in _TABLES | _FRAMES.keys() | {_ICC})
    return sum(len(segment.payload) for segment in described)


def _find_frame(segments: list[JpegSegment]) -> Frame:
    found = next((s for s in segments if s.marker in _FRAMES or s.marker in _OTHER_FRAMES), None)
    if found is None or len(found.payload) < _FRAME_BYTES:
        raise rejections.unreadable_file("the JPEG has no frame header")
    bits, height, width, components, sampling = struct.unpack_from(">BHHBxB", found.payload)
    return Frame(found.marker, bits, height, width, components, (sampling >> 4, sampling & 15))


def _check_frame(frame: Frame) -> None:
    if frame.marker not in _READABLE_FRAMES:
        name = _FRAMES.get(frame.marker, "hierarchical")
        prefix = "" if frame.marker == _JPEG_LS else "JPEG, "
        raise rejections.unsupported_compression(prefix + name)
    if frame.bits != 8:
        raise rejections.unsupported_depth(f"{frame.bits}-bit samples in a JPEG")
    if frame.components not in _COLOURS:
        raise rejections.unsupported_colour(f"a JPEG of {frame.components} components")
    if not frame.width or not frame.height:
        raise rejections.damaged_file(f"its header says {frame.width} x {frame.height} pixels")


def read_segments(file: MasterBytes) -> tuple[list[JpegSegment], int]:
    """Return the segments before the first scan, and the position of that.

    Raises MasterRejected.
    """
    segments: list[JpegSegment] = []
    position = 2
    for _ in range(_MAX_MARKERS):
        head = read_exactly(file, position, 4)
        if len(head) < 4:
            break
        if head[0] != 0xFF or head[1] in (0, 0xFF):
            position += 1  # padding or garbage between segments: decoders skip it
            continue
        marker = head[1]
        if marker == _END:
            break
        if marker == _SCAN:
            return segments, position
        if marker == _START or marker == 0x01 or 0xD0 <= marker <= 0xD7:
            position += 2
            continue
        if marker < _FIRST_MARKER or marker > _COMMENT:
            raise rejections.damaged_file(f"byte {position:,} is not a known marker")
        [length] = struct.unpack(">H", head[2:])
        if length < 2:
            position += 2
            continue
        if position > _MAX_HEAD_BYTES:
            raise rejections.too_expensive_to_read(f"{position:,} bytes before its pixels")
        payload = read_exactly(file, position + 4, length - 2)
        segments.append(JpegSegment(marker, payload))
        position += 2 + length
    raise rejections.unreadable_file("the JPEG ends, or is damaged, before its pixels begin")


def _clean_head(segments: list[JpegSegment]) -> bytes:
    parts = [b"\xff\xd8"]
    if any(s.marker == _JFIF and s.payload[:5] == b"JFIF\0" for s in segments):
        # Without it libjpeg would guess the colours from the components' numbers.
        parts.append(_JFIF_SEGMENT)
    parts += [s.as_bytes() for s in segments if s.marker in _KEPT]
    return b"".join(parts)


def _exif_colours(segments: list[JpegSegment]) -> ExifColours:
    blocks = (s.payload for s in segments if s.marker == _EXIF and s.payload[:6] == b"Exif\0\0")
    return colours_of_block(next(blocks, b""))


def _icc_profile(segments: list[JpegSegment]) -> bytes | None:
    """Join the chunks of the profile in their order. Source: ICC.1:2022, annex B.4."""
    name = b"ICC_PROFILE\0"
    chunks = [
        s.payload[len(name) :] for s in segments if s.marker == _ICC and s.payload[:12] == name
    ]
    ordered = sorted((chunk for chunk in chunks if len(chunk) > 2), key=lambda chunk: chunk[0])
    return b"".join(chunk[2:] for chunk in ordered) or None
