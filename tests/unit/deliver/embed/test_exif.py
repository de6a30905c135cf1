"""EXIF of a derivative holds what Exif asks of a JPEG, and fits into one segment."""

import pytest

from tests.unit.deliver.embed.embed_files import described, ranged
from vitrine.deliver.embed.exif import MAX_BLOCK_LENGTH, exif_block, keep_valid_fields, rights_block
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.metadata.metadata_sources import from_blocks, from_tiff
from vitrine.store.tiff.entry import TiffEntry, text
from vitrine.store.tiff.tags import (
    EXIF_COLOUR_SPACE,
    EXIF_DATE_TIME_ORIGINAL,
    EXIF_HEIGHT,
    EXIF_WIDTH,
    Tag,
    Type,
)
from vitrine.store.tiff.writing import NewDirectory


@pytest.mark.parametrize(("srgb", "colour_space"), [(True, 1), (False, 0xFFFF)])
def test_the_sizes_and_colours_are_the_images_own(srgb: bool, colour_space: int) -> None:
    block = exif_block(Metadata({Tag.ARTIST: text("Rembrandt")}), 640, 480, srgb=srgb)
    exif = from_blocks(exif=block).children[Tag.EXIF_IFD].entries
    values = [exif[tag].integers()[0] for tag in (EXIF_WIDTH, EXIF_HEIGHT, EXIF_COLOUR_SPACE)]
    assert values == [640, 480, colour_space]


@pytest.mark.parametrize(("components", "stored"), [(3, b"\1\2\3\0"), (1, b"\1\0\0\0"), (4, None)])
def test_the_components_are_those_of_the_image(components: int, stored: bytes | None) -> None:
    fields = Metadata({Tag.ARTIST: text("Rembrandt")})
    back = from_blocks(exif=exif_block(fields, 6, 4, srgb=True, components=components))
    exif = back.children[Tag.EXIF_IFD].entries
    assert (exif[0x9101].data if 0x9101 in exif else None) == stored


@pytest.mark.parametrize("below", [False, True])
def test_the_longest_field_gives_way(below: bool) -> None:
    long_date = {EXIF_DATE_TIME_ORIGINAL: text("x" * 70_000)} if below else {}
    entries = {Tag.COPYRIGHT: text("CC0"), Tag.ARTIST: text("y" * (10 if below else 70_000))}
    metadata = Metadata(entries, {Tag.EXIF_IFD: NewDirectory(long_date)})
    block = exif_block(metadata, 1, 1, srgb=True)
    assert len(block) <= MAX_BLOCK_LENGTH
    back = from_blocks(exif=block)
    assert back.entries[Tag.COPYRIGHT] == text("CC0")
    assert (Tag.ARTIST in back.entries) is below
    assert EXIF_DATE_TIME_ORIGINAL not in back.children[Tag.EXIF_IFD].entries


def test_an_image_of_which_nothing_is_known_has_no_exif() -> None:
    colours = {Tag.EXIF_IFD: NewDirectory({EXIF_COLOUR_SPACE: TiffEntry(Type.SHORT, 1, b"\1\0")})}
    assert exif_block(Metadata(), 1, 1, srgb=True) == b""
    assert exif_block(Metadata({}, colours), 1, 1, srgb=True) == b""
    assert rights_block(None, None) == b""


def test_two_copyright_notices_stay_two() -> None:
    both = TiffEntry(Type.ASCII, 16, b"Photo\0Editor\0\0\0\0")
    assert keep_valid_fields(Metadata({Tag.COPYRIGHT: both})).entries == {
        Tag.COPYRIGHT: TiffEntry(Type.ASCII, 13, b"Photo\0Editor\0")
    }


def test_places_are_not_presentable() -> None:
    data = described()
    everything = from_tiff(ranged(data), len(data), 0)
    assert Tag.GPS_IFD in everything.children
    assert set(keep_valid_fields(everything).children) == {Tag.EXIF_IFD}
