"""One level of the pyramid: takes rows, encodes tiles, and halves them into the level below."""

from collections.abc import Callable
from concurrent.futures import Executor, Future

import numpy as np
from numpy.typing import NDArray

from vitrine.ingest.convert.pyramid.shrink import BoxFilter, Pixels
from vitrine.ingest.convert.pyramid.tile_encoder import MCU, TileEncoder

TileSink = Callable[[bytes], None]
"""Takes the tiles of one level, left to right, top to bottom."""

_BATCH = 8
"""Tiles per job of the pool."""
_WIDE_STRIP_BYTES = 32 << 20
"""Larger strips get no second buffer: slower, since pixels wait for the encoder."""
_FLAT = 128

Strip = NDArray[np.uint8]
"""One row of tiles: (columns, tile, tile, 3), each tile contiguous for the encoder."""


class Level:
    """Collects rows into strips as high as a tile; jobs of the pool encode and halve its tiles.

    `ahead`: the next strip fills while one is encoded. It costs as much memory again, so it is
    for full resolution only.
    """

    def __init__(
        self,
        width: int,
        height: int,
        *,
        encoder: TileEncoder,
        box: BoxFilter,
        pool: Executor,
        sink: TileSink,
        below: "Level | None",
        ahead: bool = False,
    ) -> None:
        self._width, self._height = width, height
        self._encoder, self._box, self._pool = encoder, box, pool
        self._sink, self._below = sink, below
        self._tile = encoder.tile_size
        self._columns = -(-width // self._tile)
        shape = (self._columns, self._tile, self._tile, 3)
        narrow = self._columns * self._tile**2 * 3 <= _WIDE_STRIP_BYTES
        self._buffers = [np.zeros(shape, np.uint8) for _ in range(2 if ahead and narrow else 1)]
        self._filled = self._received = 0
        self._pending: list[Future[list[bytes]]] = []
        self._pending_rows = 0

    def add(self, rows: Pixels) -> None:
        """Take the next rows: (any number, width, 3). Raises what encoder and sink raise."""
        while len(rows):
            count = min(self._tile - self._filled, len(rows))
            self._copy_rows(rows[:count])
            self.advance(count)
            rows = rows[count:]

    def advance(self, count: int) -> None:
        """Count rows that were written into the strip, at most as many as were missing."""
        self._filled += count
        self._received += count
        if self._filled == self._tile or self._received == self._height:
            self._flush_strip()

    def close(self) -> None:
        """Wait for the last tiles of this level, then for those of the levels below."""
        self._write_tiles()
        if self._below:
            self._below.close()

    def _copy_rows(self, rows: Pixels) -> None:
        """Copy rows into the strip, tile by tile."""
        strip, target = self._buffers[0], slice(self._filled, self._filled + len(rows))
        full = self._width // self._tile
        inner = rows[:, : full * self._tile].reshape(len(rows), full, self._tile, 3)
        strip[:full, target] = inner.swapaxes(0, 1)
        rest = rows[:, full * self._tile :]
        if rest.shape[1]:
            strip[full, target, : rest.shape[1]] = rest

    def _flush_strip(self) -> None:
        self._write_tiles()
        strip, rows = self._buffers[0], self._filled
        _pad_strip(strip, rows, self._width - (self._columns - 1) * self._tile)
        self._pending_rows = -(-rows // 2)
        target = self._below.reserve() if self._below else None
        self._pending = [
            self._pool.submit(
                self._encode_strip, strip, target, range(self._columns)[first : first + _BATCH]
            )
            for first in range(0, self._columns, _BATCH)
        ]
        self._filled = 0
        self._buffers.reverse()
        if len(self._buffers) == 1:
            self._write_tiles()

    def reserve(self) -> Strip:
        """Return the half strip into which the level above writes next."""
        return self._buffers[0][:, self._filled : self._filled + self._tile // 2]

    def _encode_strip(self, strip: Strip, target: Strip | None, columns: range) -> list[bytes]:
        tiles = []
        half = self._tile // 2
        for column in columns:
            tiles.append(self._encoder.encode(strip[column]))
            if target is not None:
                left = column % 2 * half
                self._box.halve(strip[column], target[column // 2, :, left : left + half])
        return tiles

    def _write_tiles(self) -> None:
        pending, self._pending = self._pending, []
        for job in pending:
            for tile in job.result():
                self._sink(tile)
        if pending and self._below:
            self._below.advance(self._pending_rows)


def _pad_strip(strip: Strip, rows: int, columns: int) -> None:
    """Fill the last tiles beyond `rows` and `columns`.

    Replicated up to the next coding unit, which keeps ringing out of the picture; flat further
    out, which costs almost no bytes.
    """
    tile = strip.shape[1]
    edge = -(-columns // MCU) * MCU
    last = strip[-1]
    last[:rows, columns:edge] = last[:rows, columns - 1 : columns]
    last[:, edge:] = _FLAT
    edge = min(-(-rows // MCU) * MCU, tile)
    strip[:, rows:edge] = strip[:, rows - 1 : rows]
    strip[:, edge:] = _FLAT
