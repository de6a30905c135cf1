"""Tiles as abbreviated JPEG streams that share one set of tables (TIFF Technical Note 2)."""

import threading
from dataclasses import dataclass

import numpy as np
from imagecodecs import jpeg8_encode

from vitrine.ingest.convert.pyramid.shrink import Pixels

SUBSAMPLINGS: dict[str, tuple[int, int]] = {"444": (1, 1), "422": (2, 1), "420": (2, 2)}
"""Horizontal and vertical factor of each chroma subsampling we write."""

MCU = 16
"""Largest side of a coding unit with any chroma subsampling, pixels."""

_MAX_BYTES_PER_PIXEL = 6
"""Noise at quality 100 stays below; the codec raises rather than write more."""

_SOI = b"\xff\xd8"
_EOI = b"\xff\xd9"
_DQT, _DHT, _SOF0, _SOS, _APP0 = 0xDB, 0xC4, 0xC0, 0xDA, 0xE0


@dataclass(frozen=True)
class _Header:
    tables: bytes
    frame: bytes
    scan_offset: int


class _OutputBuffer(threading.local):
    """Each thread's buffer for the codec's output: mapping a new one per tile costs 4 %."""

    def __init__(self, size: int) -> None:
        self.stream = bytearray(size)


class TileEncoder:
    """Encodes square tiles of 8-bit RGB as YCbCr JPEG; safe to call from several threads."""

    def __init__(self, tile_size: int, quality: int, subsampling: str) -> None:
        self._quality = quality
        self._subsampling = SUBSAMPLINGS[subsampling]
        self._output = _OutputBuffer(_MAX_BYTES_PER_PIXEL * tile_size**2)
        sample = bytes(self._encode_pixels(np.full((tile_size, tile_size, 3), 128, np.uint8)))
        self._header = _parse_stream(sample)
        self._prefix = sample[: self._header.scan_offset]
        self._lead = _SOI + self._header.frame
        self.tile_size = tile_size
        """Width and height in pixels."""
        self.subsampling = self._subsampling
        """Horizontal and vertical factor."""
        self.tables = _SOI + self._header.tables + _EOI
        """Value of the tag JPEGTables: quantisation and Huffman tables between SOI and EOI."""

    def encode(self, pixels: Pixels) -> bytes:
        """Return one tile as it is stored in the file: SOI, frame header, scan, EOI.

        Raises RuntimeError when the codec used other tables than the shared ones.
        """
        stream = self._encode_pixels(pixels)
        if bytes(stream[: len(self._prefix)]) != self._prefix:
            raise RuntimeError("the JPEG codec changed its tables between two tiles")
        return b"".join((self._lead, stream[self._header.scan_offset :]))

    def _encode_pixels(self, pixels: Pixels) -> memoryview:
        """Return the codec's own stream, valid until this thread encodes again."""
        return memoryview(
            jpeg8_encode(
                pixels,
                self._quality,
                outcolorspace="YCBCR",
                subsampling=self._subsampling,
                out=self._output.stream,
            )
        )

    def of(self, *, reduced: bool) -> "TileEncoder":
        """Return itself: full resolution and the reduced levels are encoded alike."""
        return self


@dataclass(frozen=True, kw_only=True)
class LevelEncoders:
    """One encoder for full resolution, and another for the levels that are smaller."""

    full: TileEncoder
    reduced: TileEncoder

    @property
    def tile_size(self) -> int:
        """Width and height of the tiles of all levels, pixels."""
        return self.full.tile_size

    def of(self, *, reduced: bool) -> TileEncoder:
        """Return the encoder of full resolution, or of the reduced levels."""
        return self.reduced if reduced else self.full


Encoders = TileEncoder | LevelEncoders


def _parse_stream(stream: bytes) -> _Header:
    tables, frame, offset = b"", b"", len(_SOI)
    while stream[offset + 1] != _SOS:
        marker = stream[offset + 1]
        end = offset + 2 + int.from_bytes(stream[offset + 2 : offset + 4], "big")
        if marker in (_DQT, _DHT):
            tables += stream[offset:end]
        elif marker == _SOF0:
            frame = stream[offset:end]
        elif marker != _APP0:
            raise RuntimeError(f"unexpected JPEG marker {marker:#x} from the codec")
        offset = end
    return _Header(tables, frame, offset)
