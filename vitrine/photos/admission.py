"""Admission by cost: what a photograph takes is known from its header, before it is decoded.

Each process decodes one photograph at a time. Those that take long share a few slots among all
processes of a machine, so that a short one never finds every process at work on a long one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vitrine.api.problems import Problem
from vitrine.ingest.inspect.header import Header

RETRY_SECONDS = 5
LONG_SECONDS = 1.0
"""From here on a photograph takes a slot."""
MAX_SECONDS = 20.0
_JPEG_BYTES_PER_SECOND = 100_000_000
_JPEG_PIXELS_PER_SECOND = 250_000_000
"""Speed of a reduced decoding on one core: 10 MB of 18 megapixels took 0.13 s."""
_PIXELS_PER_SECOND = 20_000_000
"""Speed for the other formats, which are decoded whole."""
_BYTES_PER_PIXEL = 4
_MAX_REDUCED_PIXELS = 24_000_000
"""Pixels of a JPEG after its decoder reduced it for the largest thumbnail."""


@dataclass(frozen=True, kw_only=True)
class DecodingCost:
    """What decoding one photograph takes at most."""

    seconds: float
    memory_bytes: int


def estimate_cost(header: Header, file_bytes: int) -> DecodingCost:
    """Estimate the cost from the header."""
    pixels = header.width * header.height
    jpeg = header.format == "jpeg"
    held = min(pixels, _MAX_REDUCED_PIXELS) if jpeg else pixels
    memory = 2 * file_bytes + header.decoder_bytes + held * _BYTES_PER_PIXEL
    if not jpeg:
        return DecodingCost(seconds=pixels / _PIXELS_PER_SECOND, memory_bytes=memory)
    seconds = file_bytes / _JPEG_BYTES_PER_SECOND + pixels / _JPEG_PIXELS_PER_SECOND
    return DecodingCost(seconds=seconds, memory_bytes=memory)


@dataclass(frozen=True, kw_only=True)
class LongSlots:
    """Slots for photographs that take long, held by locks on files in one folder."""

    folder: Path
    count: int

    @contextmanager
    def admit(self, cost: DecodingCost) -> Iterator[None]:
        """Hold a slot while the block runs, if the photograph takes long.

        The kernel frees the slot of a process that dies. Raises Problem with code `photos-busy`.
        """
        if cost.seconds < LONG_SECONDS:
            yield
            return
        descriptor = self._take()
        try:
            yield
        finally:
            os.close(descriptor)

    def _take(self) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(self.count):
            path = self.folder / f"long-photo-{number}"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
            else:
                return descriptor
        raise Problem("photos-busy", headers={"retry-after": str(RETRY_SECONDS)})
