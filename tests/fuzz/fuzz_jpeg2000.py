"""The reader of JPEG 2000 masters, its boxes, markers and tiles.

`python -m tests.fuzz.fuzz_jpeg2000 CORPUS`. Promised: nothing but MasterRejected is raised; what is
accepted has a size and an estimate of its memory.
"""

from contextlib import suppress

from tests.fuzz.engine import engine
from tests.fuzz.oracle import VirtualFile

with engine.imports():
    from vitrine.errors import MasterRejected
    from vitrine.ingest.inspect.formats.jp2_format import read_jp2
    from vitrine.ingest.inspect.formats.jp2_metadata import read_jp2_metadata
    from vitrine.ingest.inspect.formats.jp2_tiles import check_tiles
    from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS

PEAK_BYTES = 16 << 20
MAX_PIXELS = 100_000_000


class Master:
    """A virtual file, read as masters are: up to its end, never beyond."""

    def __init__(self, data: bytes) -> None:
        self._file = VirtualFile(data)
        self.size = self._file.size

    def read_at(self, position: int, size: int) -> bytes:
        """Return up to `size` bytes."""
        assert position >= 0, f"reads at {position}"
        assert size >= 0, f"reads {size} bytes"
        if position >= self.size:
            return b""
        return self._file.read(position, min(size, self.size - position))


def check(data: bytes) -> None:
    """Check one input: a file as `oracle.virtual` packs it."""
    master = Master(data)
    with suppress(MasterRejected):
        read_jp2_metadata(master)
    with suppress(MasterRejected):
        picture = read_jp2(master, MAX_PIXELS)
        described, stream = picture.picture_format, picture.codestream
        assert 0 < described.width * described.height <= MAX_PIXELS
        assert described.bits in (8, 16)
        assert len(picture.chosen) == COLOUR_BANDS[described.colour] + described.extra_bands
        channels = len(picture.palette[0]) if picture.palette else stream.components
        assert max(picture.chosen) < channels
        assert described.decoder_bytes >= described.width * described.height * (
            4 + described.bits // 8
        )
        check_tiles(master, stream)


if __name__ == "__main__":
    engine.run(check, PEAK_BYTES)
