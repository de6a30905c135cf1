"""What a conversion will need, from the header: refused before it fails half-way."""

from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.kind import Kind
from vitrine.ingest.limits import Limits

_PROCESS_BYTES = 150 * 1024 * 1024
"""Python, libvips and the encoder's threads at work on a small image."""
_WRITER_ROWS = 7 * 256
"""Rows of full width that the writer of access masters holds, pyramid included."""
_BYTES_PER_PIXEL = 3
_DISK_BYTES_PER_PIXEL = 5
"""Decoded pixels (3) and the access master (at most 2 at quality 90, pyramid included)."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Upper bounds, in bytes."""

    memory_bytes: int
    disk_bytes: int


def estimate(kind: Kind, file_bytes: int) -> Estimate:
    """Memory and disk for converting such a picture from a file of that size."""
    pixels = kind.width * kind.height
    rows = _WRITER_ROWS * kind.width * _BYTES_PER_PIXEL
    return Estimate(
        memory_bytes=_PROCESS_BYTES + kind.decoder_bytes + rows,
        disk_bytes=file_bytes + pixels * _DISK_BYTES_PER_PIXEL,
    )


def check_estimate(needed: Estimate, limits: Limits) -> None:
    """Raises MasterRejected: needs-too-much-memory, needs-too-much-disk."""
    if needed.memory_bytes > limits.memory_bytes:
        raise rejections.needs_too_much_memory(needed.memory_bytes, limits.memory_bytes)
    if needed.disk_bytes > limits.disk_bytes:
        raise rejections.needs_too_much_disk(needed.disk_bytes, limits.disk_bytes)
