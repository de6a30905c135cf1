"""Pixels in memory, which codecs write and read by its address."""

import ctypes
from dataclasses import dataclass

from vitrine.iiif.region import Box


@dataclass(frozen=True, slots=True)
class Pixels:
    """A box of a picture of 8-bit gray or RGB pixels, rows without gaps."""

    memory: bytearray
    """All of the picture."""
    width: int
    height: int
    """Size of the picture in pixels."""
    bands: int
    """1 or 3."""
    box: Box
    """The part that is meant."""

    @property
    def row_bytes(self) -> int:
        """Distance of two rows in bytes."""
        return self.width * self.bands

    @property
    def address(self) -> int:
        """Where the first pixel of the box is."""
        first = self.box.y * self.row_bytes + self.box.x * self.bands
        return address_of(self.memory) + first


def address_of(memory: bytearray) -> int:
    """Return where memory begins that is at least one byte, and never made longer or shorter."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))
