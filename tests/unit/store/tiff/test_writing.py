"""What is laid out reads back, and everything lies where a reader looks first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.store.tiff.entry import TiffEntry, longs, opaque, rationals, shorts, text
from vitrine.store.tiff.reading import Directory, TiffReader
from vitrine.store.tiff.tags import ITEM_BYTES, Tag, Type
from vitrine.store.tiff.writing import (
    CLASSIC_LIMIT,
    LARGE_VALUE_BYTES,
    NewDirectory,
    TiffLayout,
    lay_out,
)

TAGS = st.integers(1_000, 30_000)


@st.composite
def entries(draw: st.DrawFn) -> TiffEntry:
    kind = draw(st.sampled_from(sorted(set(ITEM_BYTES) - {Type.IFD, Type.IFD8})))
    count = draw(st.integers(1, 12) | st.just(LARGE_VALUE_BYTES))
    data = draw(st.binary(min_size=ITEM_BYTES[kind], max_size=ITEM_BYTES[kind]))
    return TiffEntry(kind, count, data * count)


directories = st.builds(NewDirectory, st.dictionaries(TAGS, entries(), min_size=1, max_size=6))
families = st.builds(
    NewDirectory,
    st.dictionaries(TAGS, entries(), max_size=6),
    st.dictionaries(st.just(int(Tag.EXIF_IFD)), directories, max_size=1),
    st.lists(st.integers(1, 2_000), min_size=1, max_size=5),
)


def read(layout: TiffLayout, tiles: bytes) -> tuple[TiffReader, bytes]:
    data = layout.head + tiles + layout.tail
    assert len(data) == layout.total_bytes
    return TiffReader(lambda offset, length: data[offset : offset + length], len(data)), data


def contents(directory: Directory, but: tuple[int, ...] = ()) -> dict[int, TiffEntry]:
    return {tag: directory.entry(tag) for tag in directory.tags() if tag not in but}


@pytest.mark.slow
@given(pages=st.lists(families, min_size=1, max_size=4), big=st.booleans())
def test_all_that_is_laid_out_reads_back(pages: list[NewDirectory], big: bool) -> None:
    tiles = b"".join(
        bytes([number]) * count
        for number, page in reversed(list(enumerate(pages)))
        for count in page.tile_byte_counts
    )
    found, data = read(lay_out(pages, big=big), tiles)
    assert found.big == big
    for number, (page, directory) in enumerate(zip(pages, found.pages(), strict=True)):
        own = (*page.children, Tag.TILE_OFFSETS, Tag.TILE_BYTE_COUNTS)
        assert contents(directory, own) == page.entries
        assert directory.tags() == tuple(sorted(directory.tags()))
        assert list(directory.integers(Tag.TILE_BYTE_COUNTS)) == page.tile_byte_counts
        for offset, count in zip(
            directory.integers(Tag.TILE_OFFSETS), page.tile_byte_counts, strict=True
        ):
            assert data[offset : offset + count] == bytes([number]) * count
        for tag, child in page.children.items():
            assert contents(found.directory(directory.integer(tag))) == child.entries


def pyramid() -> list[NewDirectory]:
    return [
        NewDirectory({Tag.IMAGE_WIDTH: longs(512)}, {}, [70] * 4),
        NewDirectory({Tag.IMAGE_WIDTH: longs(256)}, {}, [50]),
    ]


def test_small_values_lie_in_front_and_large_ones_behind_the_tiles() -> None:
    entries = {
        Tag.XMP: opaque(b"\1" * (LARGE_VALUE_BYTES + 1)),
        Tag.ICC_PROFILE: opaque(b"\2" * LARGE_VALUE_BYTES),
    }
    layout = lay_out([NewDirectory(entries, {}, [7])])
    assert b"\2" * LARGE_VALUE_BYTES in layout.head
    assert b"\1" * LARGE_VALUE_BYTES not in layout.head
    assert layout.tail.strip(b"\0") == b"\1" * (LARGE_VALUE_BYTES + 1)


def test_the_smallest_level_comes_first_and_full_resolution_last() -> None:
    layout = lay_out(pyramid())
    found, _ = read(layout, bytes(4 * 70 + 50))
    full, small = found.pages()
    assert small.integers(Tag.TILE_OFFSETS) == (len(layout.head),)
    assert full.integers(Tag.TILE_OFFSETS)[0] == len(layout.head) + 50


def test_equal_values_are_stored_once() -> None:
    tables = opaque(bytes(range(256)) * 2)
    one = lay_out([NewDirectory({Tag.JPEG_TABLES: tables})])
    two = lay_out([NewDirectory({Tag.JPEG_TABLES: tables}) for _ in range(2)])
    assert len(two.head) - len(one.head) < 50


@pytest.mark.parametrize("excess", [0, 1])
def test_bigtiff_begins_exactly_where_offsets_no_longer_fit(excess: int) -> None:
    head = len(lay_out([NewDirectory({}, {}, [1, 1])]).head)
    half = (CLASSIC_LIMIT - head) // 2
    layout = lay_out([NewDirectory({}, {}, [half, CLASSIC_LIMIT - head - half + excess])])
    assert (layout.head[2] == 43) == bool(excess)


def test_a_level_over_four_gigabytes_has_eight_byte_offsets() -> None:
    counts = [1 << 31] * 4
    layout = lay_out([NewDirectory({Tag.IMAGE_WIDTH: shorts(9)}, {}, counts)])
    found = TiffReader(lambda offset, length: layout.head[offset:][:length], layout.total_bytes)
    [page] = found.pages()
    assert page.integers(Tag.TILE_OFFSETS)[3] == len(layout.head) + 3 * (1 << 31)


def test_entries_know_their_forms() -> None:
    assert shorts(1, 2) == TiffEntry(Type.SHORT, 2, b"\1\0\2\0")
    assert rationals((1, 2)) == TiffEntry(Type.RATIONAL, 1, b"\1\0\0\0\2\0\0\0")
    assert text("é") == TiffEntry(Type.ASCII, 3, b"\xc3\xa9\0")


@pytest.mark.parametrize("over", [0, 1])
def test_a_file_becomes_big_only_beyond_the_last_byte_of_the_small_form(over: int) -> None:
    def laid_out(tiles: list[int]) -> TiffLayout:
        return lay_out([NewDirectory({int(Tag.MAKE): text("x")}, {}, tiles)])

    rest = laid_out([1, 1, 1]).total_bytes - 3
    full = CLASSIC_LIMIT - rest
    layout = laid_out([full // 2, full - full // 2 - 1, 1 + over])
    assert layout.head[2] == (43 if over else 42)
    assert over or len(layout.head) == len(laid_out([1, 1, 1]).head)
