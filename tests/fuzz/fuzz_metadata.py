"""What is read for embedding, and put into images.

`python -m tests.fuzz.fuzz_metadata CORPUS`. Promised: nothing is raised at all, no read leaves the
file, and at most 512 KiB are read.
"""

import struct

from tests.fuzz.engine import engine
from tests.fuzz.oracle import VirtualFile

with engine.imports():
    from vitrine.deliver.embed.derivatives import EMBED, embed_metadata
    from vitrine.deliver.embed.exif import MAX_BLOCK_LENGTH
    from vitrine.deliver.embed.iptc import properties_of_iptc, properties_of_photoshop
    from vitrine.deliver.embed.selection import (
        BOUNDS,
        DerivativeMetadata,
        logger,
        read_derivative_metadata,
    )
    from vitrine.deliver.embed.tiles import TILE_METADATA, read_tile_segments
    from vitrine.deliver.embed.xmp import MAX_PACKET_LENGTH, select_properties, write_packet

PEAK_BYTES = 32 << 20
SELECTORS = 4 + len(EMBED)


def check(data: bytes) -> None:
    """Check one input: a byte that chooses, and a file, a packet or an image."""
    kind, rest = data[:1], data[1:]
    chosen = kind[0] % SELECTORS if kind else 0
    if chosen < 3:
        _check_file(VirtualFile(rest))
    elif chosen == 3:
        _check_packet(rest)
    else:
        format_ = list(EMBED)[chosen - 4]
        once = embed_metadata(rest, format_, PLAIN)
        again = embed_metadata(once, format_, PLAIN)
        # A TIFF grows: what it said before is wiped, not cut out.
        assert again == once or format_ == "tif"


def _check_file(file: VirtualFile) -> None:
    metadata = read_derivative_metadata(file.read, file.size, name="fuzz")
    assert file.read_bytes <= BOUNDS.total_bytes
    block = metadata.exif(640, 480)
    assert len(block) <= MAX_BLOCK_LENGTH
    assert len(metadata.xmp) <= MAX_PACKET_LENGTH
    assert select_properties(metadata.xmp) or not metadata.xmp
    for setting in TILE_METADATA:
        segments = read_tile_segments(file.read, file.size, setting, name="fuzz")
        _check_segments(segments)


def _check_segments(segments: bytes) -> None:
    at = 0
    while at < len(segments):
        mark, marker, length = struct.unpack_from(">BBH", segments, at)
        assert mark == 0xFF
        assert marker in (0xE1, 0xE2)
        at += 2 + length
    assert at == len(segments)


def _check_packet(packet: bytes) -> None:
    older = properties_of_photoshop(packet) | properties_of_iptc(packet)
    assert select_properties(write_packet(older, 1 << 24)).keys() == older.keys()
    properties = select_properties(packet[: BOUNDS.value_bytes])
    assert select_properties(write_packet(properties, 1 << 24)) == properties


PLAIN = DerivativeMetadata(xmp=b"<x/>", xmp_with_fields=b"<x/>")

if __name__ == "__main__":
    logger.disabled = True
    engine.run(check, PEAK_BYTES)
