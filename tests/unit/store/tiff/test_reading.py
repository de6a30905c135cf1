"""The reader takes every honest file and breaks on none."""

import contextlib
import io
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import DEFAULT_BOUNDS, Bounds, TiffReader, TooManyPages
from vitrine.store.tiff.tags import Tag

MEBIBYTE = 1 << 20


def reader(data: bytes) -> TiffReader:
    return TiffReader(lambda offset, length: data[offset : offset + length], len(data))


def read_all(data: bytes) -> int:
    """Every value of every page and sub-directory, as a curious program would; bytes read."""
    total = 0

    def read(offset: int, length: int) -> bytes:
        nonlocal total
        total += length
        return data[offset : offset + length]

    found = TiffReader(read, len(data))
    for page in found.pages():
        for tag in page.tags():
            page.entry(tag)
            if tag in (Tag.EXIF_IFD, Tag.SUB_IFDS):
                for offset in page.integers(tag):
                    found.directory(offset)
    return total


def attempt(data: bytes) -> int:
    """As `read_all`; 0 where the file is refused."""
    with contextlib.suppress(MalformedTiff):
        return read_all(data)
    return 0


def made(**options: Any) -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, np.zeros((40, 50, 3), "u1"), photometric="rgb", **options)
    return file.getvalue()


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("bigtiff", [False, True])
def test_both_orders_and_both_sizes_read_the_same(byteorder: str, bigtiff: bool) -> None:
    data = made(
        byteorder=byteorder,
        bigtiff=bigtiff,
        tile=(16, 16),
        description="Nightwatch",
        resolution=(300.5, 72),
    )
    found = reader(data)
    [page] = found.pages()
    assert (found.big, found.big_endian) == (bigtiff, byteorder == ">")
    assert (page.integer(Tag.IMAGE_WIDTH), page.integer(Tag.IMAGE_LENGTH)) == (50, 40)
    assert page.integers(Tag.BITS_PER_SAMPLE) == (8, 8, 8)
    assert page.entry(Tag.IMAGE_DESCRIPTION).data.rstrip(b"\0") == b"Nightwatch"
    numerator, denominator = struct.unpack("<II", page.entry(Tag.X_RESOLUTION).data)
    assert numerator / denominator == 300.5
    assert len(page.integers(Tag.TILE_OFFSETS)) == 12


def test_values_are_read_only_when_asked_for() -> None:
    data = made(iccprofile=bytes(200_000))
    reads: list[int] = []

    def read(offset: int, length: int) -> bytes:
        reads.append(length)
        return data[offset : offset + length]

    [page] = TiffReader(read, len(data)).pages()
    assert sum(reads) < 1_000
    assert page.length(Tag.ICC_PROFILE) == 200_000
    page.entry(Tag.ICC_PROFILE)
    assert sum(reads) > 200_000


def _loop(data: bytes) -> bytes:
    """The first page points at itself."""
    [offset] = struct.unpack_from("<I", data, 4)
    [count] = struct.unpack_from("<H", data, offset)
    end = offset + 2 + count * 12
    return data[:end] + struct.pack("<I", offset) + data[end + 4 :]


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: b"", "It ends after 0 bytes"),
        (lambda data: b"\xff\xd8" + data[2:], "It is no TIFF: it does not start with II or MM."),
        (lambda data: data[:2] + b"\x07\0" + data[4:], "Its magic number is 7"),
        (lambda data: data[:4] + struct.pack("<I", 1 << 30) + data[8:], "It ends after"),
        (lambda data: data[:4] + bytes(4) + data[8:], "It has no directory."),
        (_loop, "Its chain of directories is a loop."),
    ],
)
def test_each_break_is_described_in_a_sentence(
    damage: Callable[[bytes], bytes], sentence: str
) -> None:
    with pytest.raises(MalformedTiff, match=sentence):
        reader(damage(made())).pages()


def test_a_missing_tag_is_named() -> None:
    [page] = reader(made()).pages()
    with pytest.raises(MalformedTiff, match="322"):
        page.integer(Tag.TILE_WIDTH)
    assert page.integer(Tag.TILE_WIDTH, 7) == 7
    assert page.integers(Tag.TILE_WIDTH) == ()


def test_several_numbers_are_not_one() -> None:
    [page] = reader(made()).pages()
    with pytest.raises(MalformedTiff, match="258 has 3 values of type 3 instead of one"):
        page.integer(Tag.BITS_PER_SAMPLE)


@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_raw_values_keep_the_order_of_the_file(byteorder: str) -> None:
    [page] = reader(made(byteorder=byteorder)).pages()
    assert page.big_endian is (byteorder == ">")
    assert page.raw(Tag.BITS_PER_SAMPLE) == struct.pack(f"{byteorder}3H", 8, 8, 8)
    assert (page.count(Tag.BITS_PER_SAMPLE), page.type(Tag.BITS_PER_SAMPLE)) == (3, 3)
    assert (page.raw(Tag.XMP), page.count(Tag.XMP)) == (b"", 0)


def test_bounds_are_the_readers_own() -> None:
    data = made(iccprofile=bytes(2_000))
    read = io.BytesIO(data)

    def bounded(**bounds: int) -> TiffReader:
        def ranged(offset: int, length: int) -> bytes:
            read.seek(offset)
            return read.read(length)

        return TiffReader(ranged, len(data), Bounds(**bounds))

    with pytest.raises(TooManyPages, match="more than 0 pages"):
        bounded(pages=0).pages()
    [page] = bounded(pages=1, value_bytes=1_999).pages()
    with pytest.raises(MalformedTiff, match="claims 2,000 bytes"):
        page.entry(Tag.ICC_PROFILE)
    assert bounded(value_bytes=2_000).pages()[0].length(Tag.ICC_PROFILE) == 2_000


def test_sub_images_are_bounded_like_pages() -> None:
    """Thousands of them may lie in one place of a small file, and each costs memory."""
    offsets = struct.pack("<200I", *[8] * 200)
    directory = struct.pack("<HHHIII", 1, Tag.SUB_IFDS, 4, 200, 26, 0)
    found = reader(struct.pack("<2sHI", b"II", 42, 8) + directory + offsets)
    with pytest.raises(TooManyPages, match="more than 128 sub-images"):
        found.sub_images(found.first_page())


def test_the_first_page_is_read_alone() -> None:
    [page] = reader(made()).pages()
    assert reader(_loop(made())).first_page().tags() == page.tags()
    with pytest.raises(MalformedTiff, match="no directory"):
        reader(b"II*\0" + bytes(4)).first_page()


def test_a_text_is_no_number() -> None:
    [page] = reader(made(description="12")).pages()
    with pytest.raises(MalformedTiff, match="type 2"):
        page.integer(Tag.IMAGE_DESCRIPTION)


def test_values_that_claim_the_same_bytes_do_not_add_up_to_memory() -> None:
    """A thousand fields of 60 MiB each, all in one place of a file of 60 MiB."""
    length, count = 60 * MEBIBYTE, 1_000
    fields = b"".join(struct.pack("<HHII", tag, 1, length, 0) for tag in range(1, count + 1))
    directory = struct.pack("<H", count) + fields + bytes(4)
    data = struct.pack("<2sHI", b"II", 42, 8) + directory
    data += bytes(length - len(data) + 1)
    tracemalloc.start()
    with pytest.raises(MalformedTiff, match="larger than any image"):
        read_all(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < DEFAULT_BOUNDS.total_bytes


VALID = [
    made(),
    made(byteorder=">", bigtiff=True, tile=(16, 16)),
    made(description="x" * 99, tile=(16, 16)),
]


@given(data=st.binary(max_size=400))
def test_arbitrary_bytes_break_nothing(data: bytes) -> None:
    for start in (b"", b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0"):
        assert attempt(start + data) <= DEFAULT_BOUNDS.total_bytes


@pytest.mark.slow
@settings(max_examples=400)
@example(number=0, flips=[(4, 0)], cut=0)
@given(
    number=st.integers(0, len(VALID) - 1),
    flips=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), max_size=8),
    cut=st.integers(0, 600),
)
def test_damaged_files_break_nothing(number: int, flips: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(VALID[number])
    for place, value in flips:
        data[place % len(data)] = value
    assert attempt(bytes(data[: len(data) - cut])) <= DEFAULT_BOUNDS.total_bytes


def test_what_libvips_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.tif"
    pyvips.Image.black(600, 500, bands=3).tiffsave(
        str(path), tile=True, pyramid=True, compression="jpeg", Q=80, bigtiff=True
    )
    pages = reader(path.read_bytes()).pages()
    assert [page.integer(Tag.IMAGE_WIDTH) for page in pages] == [600, 300, 150, 75]
