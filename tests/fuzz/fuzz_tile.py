"""Stored tiles on their way out: assembly of a stream, crop of the result.

`python -m tests.fuzz.fuzz_tile CORPUS`. Promised: nothing is raised; the result is None, or a JPEG
from SOI to EOI that ends with the stream's own bytes.
"""

from array import array

from tests.fuzz.engine import engine

with engine.imports():
    from vitrine.deliver.embed.jpeg import icc_segments
    from vitrine.deliver.embed.srgb import SRGB
    from vitrine.deliver.pyramids.level import StoredLevel
    from vitrine.deliver.tiles.assembly import TileAssembly
    from vitrine.deliver.tiles.crop import crop
    from vitrine.deliver.tiles.stream import read_header

PEAK_BYTES = 8 << 20
TILE = 32
PHOTOMETRICS = (2, 6, 1)
SEGMENTS = icc_segments(SRGB)
_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"


def packed(photometric: int, tables: bytes, stream: bytes) -> bytes:
    """Return the input for a tile of such a level."""
    kind = PHOTOMETRICS.index(photometric)
    return bytes((kind,)) + len(tables).to_bytes(2, "little") + tables + stream


def check(data: bytes) -> None:
    """Check one input: what the level says, its tables, and the stored stream."""
    photometric = PHOTOMETRICS[(data[0] if data else 0) % len(PHOTOMETRICS)]
    length = int.from_bytes(data[1:3], "little")
    tables, stream = data[3 : 3 + length], data[3 + length :]
    read_header(stream)
    assembly = TileAssembly(_level(photometric, tables), SEGMENTS)
    jpeg = assembly.assemble(stream)
    assert assembly.assemble(stream) == jpeg
    if jpeg is None:
        return
    assert jpeg.startswith(_SOI)
    assert jpeg.endswith(stream[2:])
    assert jpeg.endswith(_EOI)
    cropped = crop(jpeg, TILE // 2, TILE // 2 - 3)
    if cropped is not None:
        header = read_header(cropped)
        assert header is not None
        assert (header.width, header.height) == (TILE // 2, TILE // 2 - 3)


def _level(photometric: int, tables: bytes) -> StoredLevel:
    return StoredLevel(
        width=TILE,
        height=TILE,
        tile_width=TILE,
        tile_height=TILE,
        columns=1,
        rows=1,
        compression=7,
        photometric=photometric,
        samples=1 if photometric == 1 else 3,
        bits=8,
        contiguous=True,
        subsampling=(1, 1),
        tables=tables,
        offsets=array("I", [8]),
        counts=array("I", [9]),
        checksums=array("I", [0]),
        is_sealed=False,
        file_bytes=1 << 20,
    )


if __name__ == "__main__":
    engine.run(check, PEAK_BYTES)
