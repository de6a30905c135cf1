"""The checksums and lengths of deflated strips, which show damage that libtiff ignores.

libtiff stops when a strip is full and reads no checksum, so it may not notice a flipped bit, or a
height that is too small. The price is that deflated masters are inflated twice.
Source: RFC 1950, 2.2.
"""

import os
import zlib
from concurrent.futures import ThreadPoolExecutor

from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.ingest.rejections import damaged_file

_BLOCK_BYTES = 1 << 20


def check_inflated(file: MasterBytes, strips: Strips) -> None:
    """Inflate all strips or tiles, in blocks and threads.

    Raises MasterRejected with code damaged-file.
    """

    def check(number: int) -> None:
        extent = strips.offsets[number], strips.byte_counts[number]
        try:
            length = _inflated_bytes(file, *extent, strips.full_bytes + strips.row_bytes)
        except zlib.error as error:
            raise damaged_file(f"part {number + 1}: {error}") from error
        needed = strips.needed_bytes(number)
        if not needed <= length < needed + strips.row_bytes and length != strips.full_bytes:
            raise damaged_file(
                f"part {number + 1} inflates to {length:,} bytes, {needed:,} belong to it"
            )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(check, range(len(strips.offsets))):
            pass


def _inflated_bytes(file: MasterBytes, position: int, byte_count: int, limit: int) -> int:
    """Return the length of one part, its checksum verified; stop at `limit`.

    Raises zlib.error.
    """
    inflate = zlib.decompressobj()
    end, length = position + byte_count, 0
    while not inflate.eof and length < limit:
        block = inflate.unconsumed_tail
        if not block:
            block = file.read_at(position, min(_BLOCK_BYTES, end - position))
            position += len(block)
        if not block:
            raise zlib.error("the data end before their checksum")
        length += len(inflate.decompress(block, _BLOCK_BYTES))
    return length
