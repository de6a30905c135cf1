"""Memory, disk and time that a conversion needs, estimated from the header.

A master that needs too much is rejected before its conversion fails half-way.
"""

from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.limits import MasterLimits

_PROCESS_BYTES = 150 * 1024 * 1024
"""Python, libvips and the encoder's threads at work on a small image."""
_WRITER_ROWS = 7 * 256
"""Rows of full width that the writer of access masters holds, pyramid included."""
_BYTES_PER_PIXEL = 3
_LEVELS_BYTES_PER_PIXEL = 1
"""The smaller levels wait on disk: a third of the pixels, encoded to fewer than 3 bytes each."""
_PIXELS_PER_SECOND = 4_000_000
"""Least speed of decoding, converting and encoding. A large Lambda is several times as fast with
most masters (docs/explanations/scale.md); deflate of 16 bits on one core is the slowest."""
_BYTES_PER_SECOND = 40_000_000
"""Least speed of the download: half of the 625 Mbit/s of a Lambda (Lambda quotas)."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Upper bounds of what a conversion needs."""

    memory_bytes: int
    disk_bytes: int
    seconds: float = 0.0


def estimate(picture: PictureFormat, file_bytes: int) -> Estimate:
    """Estimate what converting this picture needs, from a file of `file_bytes`."""
    rows = _WRITER_ROWS * picture.width * _BYTES_PER_PIXEL
    pixels = picture.width * picture.height
    return Estimate(
        memory_bytes=_PROCESS_BYTES + picture.decoder_bytes + rows,
        disk_bytes=file_bytes + scratch_bytes(picture, spooled=picture.orientation != 1),
        seconds=pixels / _PIXELS_PER_SECOND
        + file_bytes / _BYTES_PER_SECOND
        + picture.decoder_seconds,
    )


def scratch_bytes(picture: PictureFormat, *, spooled: bool) -> int:
    """Return the disk space that a conversion needs besides the master.

    Full resolution streams into the store, unless it is `spooled`: decoded as a whole, which a
    rotation needs.
    """
    decoded = _BYTES_PER_PIXEL if spooled else 0
    return picture.width * picture.height * (_LEVELS_BYTES_PER_PIXEL + decoded)


def fits_converter(needed: Estimate, limits: MasterLimits) -> bool:
    """Return True if this process's Lambda has room and time, or no task has more time."""
    in_time = needed.seconds <= limits.converter_seconds or not limits.giants_at_once
    return (
        in_time
        and needed.memory_bytes <= limits.converter_memory_bytes
        and needed.disk_bytes <= limits.converter_disk_bytes
    )


def check_estimate(needed: Estimate, limits: MasterLimits) -> None:
    """Raise MasterRejected, needs-too-much-memory or needs-too-much-disk, beyond the limits."""
    if needed.memory_bytes > limits.memory_bytes:
        raise rejections.needs_too_much_memory(needed.memory_bytes, limits.memory_bytes)
    if needed.disk_bytes > limits.disk_bytes:
        raise rejections.needs_too_much_disk(needed.disk_bytes, limits.disk_bytes)
