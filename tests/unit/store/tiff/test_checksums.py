"""The seal of an access master, and the checksums behind it."""

import struct
import subprocess
import sys

import google_crc32c
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.deliver.pyramids.open_rig import levels_of, made
from vitrine.store.tiff.checksums import (
    MAGIC,
    FileChecksums,
    WrongChecksum,
    crc32c,
    read_checksums,
)
from vitrine.store.tiff.entry import opaque
from vitrine.store.tiff.tags import Tag
from vitrine.store.tiff.writing import LARGE_VALUE_BYTES, NewDirectory, lay_out

TILES = [b"small", b"first", b"second", b"third"]


def made_file(*, big: bool, tail: bytes = b"") -> bytes:
    """A file of two levels, of three tiles and of one."""
    full = NewDirectory({Tag.XMP: opaque(tail)} if tail else {Tag.MAKE: opaque(b"x")})
    pages = [
        NewDirectory(page.entries, {}, [len(tile) for tile in tiles], [crc32c(t) for t in tiles])
        for page, tiles in ((full, TILES[1:]), (NewDirectory({Tag.MAKE: opaque(b"y")}), TILES[:1]))
    ]
    layout = lay_out(pages, big=big)
    return layout.head + b"".join(TILES) + layout.tail


def read(data: bytes, *, big: bool = False, tiles: int = len(TILES)) -> FileChecksums | None:
    return read_checksums(
        lambda start, size: data[start : start + size], len(data), big=big, tiles=tiles
    )


def test_the_checksum_is_that_of_rfc_3720() -> None:
    """Section B.4: thirty-two bytes of zeros, of ones, and ascending."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_without_its_compiled_part_no_process_starts() -> None:
    code = (
        "import sys, warnings; warnings.simplefilter('ignore');"
        "sys.modules['google_crc32c._crc32c'] = None;"
        "import vitrine.store.tiff.checksums"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: google_crc32c has no compiled part" in done.stderr


@pytest.mark.parametrize("big", [False, True])
def test_somebody_else_can_read_them_by_the_description(big: bool) -> None:
    tail = bytes(range(256)) * (LARGE_VALUE_BYTES // 256 + 1)
    data = made_file(big=big, tail=tail)
    at = 16 if big else 8
    magic, head_bytes, head, tail_bytes, tail_checksum = struct.unpack_from("<16s4I", data, at)
    assert magic == MAGIC
    assert data[head_bytes : head_bytes + 5] == TILES[0]
    tiles = struct.unpack(f"<{len(TILES)}I", data[head_bytes - 4 * len(TILES) : head_bytes])
    assert list(tiles) == [google_crc32c.value(tile) for tile in TILES]
    blank = data[: at + 20] + bytes(4) + data[at + 24 : head_bytes]
    assert google_crc32c.value(blank) == head
    assert google_crc32c.value(data[len(data) - tail_bytes :]) == tail_checksum


def test_a_file_without_a_seal_has_no_checksums() -> None:
    for writer in ("libvips-rgb", "libvips-rgb-bigtiff", "tifffile-big-endian"):
        data = made(writer)
        tiles = sum(len(level.tiles) for level in levels_of(data))
        assert read(data, big="bigtiff" in writer, tiles=tiles) is None


@settings(max_examples=300)
@given(data=st.data(), big=st.booleans())
def test_no_changed_bit_of_a_head_passes(data: st.DataObject, *, big: bool) -> None:
    file = bytearray(made_file(big=big))
    sealed = read(bytes(file), big=big)
    assert sealed
    at = data.draw(st.integers(0, sealed.head_bytes - 1))
    file[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(WrongChecksum):
        read(bytes(file), big=big)


def test_checksums_of_another_number_of_tiles_are_refused() -> None:
    data = made_file(big=False)
    for tiles in (0, 3, 5, 1 << 20):
        sealed = read(data, tiles=tiles) if tiles in (0, 3, 5) else None
        if tiles == 1 << 20:
            with pytest.raises(WrongChecksum):
                read(data, tiles=tiles)
        else:
            assert sealed is None or len(sealed.tiles) == tiles
    with pytest.raises(WrongChecksum):
        read(data[: len(data) // 2])
