"""Blocks of metadata, broken or whole: what is read of them, left out of them, written again."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from vitrine.ingest.convert.metadata.carried_metadata import Metadata, as_exif, select_tags
from vitrine.ingest.convert.metadata.metadata_sources import from_blocks, from_tiff
from vitrine.ingest.inspect.formats.photoshop_resources import split_photoshop
from vitrine.store.tiff.entry import TiffEntry, longs, opaque, rationals, shorts, text
from vitrine.store.tiff.tags import EXIF_DATE_TIME_ORIGINAL, Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out


def test_broken_fields_are_left_out_and_reported() -> None:
    page = NewDirectory({Tag.ARTIST: text("Rembrandt van Rijn"), Tag.XMP: opaque(b"<x/>" * 9)})
    layout = lay_out([page])
    cut = layout.head.replace(struct.pack("<HHI", Tag.XMP, 7, 36), struct.pack("<HHI", 700, 7, 99))
    metadata = from_tiff(lambda offset, size: cut[offset : offset + size], len(cut), 0)
    assert set(metadata.entries) == {Tag.ARTIST}
    assert len(metadata.losses) == 1
    assert metadata.losses[0].startswith("Tag 700 was left out. ")


def test_broken_exif_costs_only_itself() -> None:
    metadata = from_blocks(exif=b"Exif\0\0nonsense", xmp=b"<x/>")
    assert set(metadata.entries) == {Tag.XMP}
    assert metadata.losses[0].startswith("EXIF was left out. ")


@given(block=st.binary(max_size=60))
def test_odd_photoshop_blocks_lose_nothing(block: bytes) -> None:
    other = b"8BIM\x04\x25\0\0\0\0\0\x03abc\0"
    iptc = b"8BIM\x04\x04\x03alt\0\0\0\x05\x1c\x02\x78\0\0\0"
    split = split_photoshop(b"Photoshop 3.0\0" + other + iptc + other + b"?" + block)
    assert split == (b"\x1c\x02\x78\0\0", other + other + b"?" + block)
    split_photoshop(b"8BIM" + block)


def test_derivatives_carry_only_what_the_recipe_lists() -> None:
    exif = NewDirectory(
        {
            EXIF_DATE_TIME_ORIGINAL: text("2026:11:20 07:00:00"),
            0xA431: text("XY-17"),  # serial number
            0xA430: text("A. Curator"),  # owner
        }
    )
    gps = NewDirectory({2: rationals((52, 1), (21, 1), (36, 1))})
    metadata = Metadata(
        {Tag.ARTIST: text("Rembrandt"), Tag.XMP: opaque(b"<x/>"), Tag.MAKE: text("Phase One")},
        {Tag.EXIF_IFD: exif, Tag.GPS_IFD: gps},
    )
    chosen = select_tags(metadata, frozenset({Tag.ARTIST, EXIF_DATE_TIME_ORIGINAL}))
    assert chosen.entries == {Tag.ARTIST: text("Rembrandt")}
    assert set(chosen.children) == {Tag.EXIF_IFD}
    assert set(chosen.children[Tag.EXIF_IFD].entries) == {EXIF_DATE_TIME_ORIGINAL}


def test_an_exif_block_reads_back() -> None:
    metadata = Metadata(
        {Tag.ARTIST: text("Rembrandt"), Tag.RESOLUTION_UNIT: shorts(2)},
        {Tag.EXIF_IFD: NewDirectory({EXIF_DATE_TIME_ORIGINAL: text("2026:11:20 07:00:00")})},
    )
    back = from_blocks(exif=b"Exif\0\0" + as_exif(metadata))
    assert back.entries == metadata.entries
    assert back.children == metadata.children
    assert as_exif(Metadata()) == b""


def test_pointers_and_storage_are_not_copied() -> None:
    page = NewDirectory(
        {
            Tag.ARTIST: text("Rembrandt"),
            Tag.SUB_IFDS: longs(8),
            Tag.PREDICTOR: shorts(2),
            Tag.ICC_PROFILE: opaque(bytes(40)),
            60_000: TiffEntry(Type.IFD, 1, bytes(4)),
        }
    )
    head = lay_out([page]).head
    metadata = from_tiff(lambda offset, size: head[offset : offset + size], len(head), 0)
    assert set(metadata.entries) == {Tag.ARTIST}
