"""Only what the recipe names leaves the access master; damage costs metadata, never an image."""

import logging
import struct
from pathlib import Path

import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.deliver.embed.embed_files import PIXELS, SECRETS, STATEMENT, described, ranged
from tests.unit.ingest.made_pyramids import PROFILE, write_file
from vitrine.deliver.embed.selection import (
    BOUNDS,
    DerivativeMetadata,
    read_derivative_metadata,
)
from vitrine.deliver.embed.srgb import SRGB
from vitrine.ingest.inspect.formats.made_profile import gamma_profile
from vitrine.store.tiff.entry import opaque, shorts, text
from vitrine.store.tiff.tags import EXIF_DATE_TIME_ORIGINAL, Tag, Type


def read(data: bytes) -> DerivativeMetadata:
    return read_derivative_metadata(ranged(data), len(data), name="a.tif")


def test_description_creator_rights_and_date_leave() -> None:
    metadata = read(described())
    assert metadata.icc == PROFILE
    assert {tag: entry.data for tag, entry in metadata.fields.entries.items()} == {
        Tag.IMAGE_DESCRIPTION: "Öl auf Leinwand\0".encode(),
        Tag.ARTIST: b"Rembrandt van Rijn\0",
        Tag.COPYRIGHT: b"CC0\0",
        Tag.DATE_TIME: b"2026:11:21 08:00:00\0",
    }
    exif = metadata.fields.children[Tag.EXIF_IFD].entries
    assert exif[EXIF_DATE_TIME_ORIGINAL] == text("2026:11:20 07:00:00")
    for phrase in (b"The Night Watch", b"De Nachtwacht", b"CC0 &amp; free", STATEMENT.encode()):
        assert phrase in metadata.xmp


def test_place_serial_numbers_owners_and_edits_stay() -> None:
    metadata = read(described())
    leaving = metadata.exif(300, 200) + metadata.xmp
    assert [secret for secret in SECRETS if secret in leaving] == []


def test_the_recipe_says_which_fields() -> None:
    data = described()
    chosen = frozenset({int(Tag.MAKE)})
    metadata = read_derivative_metadata(ranged(data), len(data), name="a.tif", tags=chosen)
    assert set(metadata.fields.entries) == chosen
    assert metadata.fields.children == {}


def test_what_is_not_selected_is_not_read() -> None:
    reads: list[tuple[int, int]] = []
    data = described(MAKE=text("x" * 50_000), SOFTWARE=text("x" * 90_000))
    read_derivative_metadata(ranged(data, reads), len(data), name="a.tif")
    assert sum(length for _, length in reads) < 6_000


def test_reading_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    reads: list[tuple[int, int]] = []
    limit = BOUNDS.value_bytes
    data = described(
        XMP=opaque(bytes(limit + 1), Type.BYTE),
        ICC_PROFILE=opaque(bytes(limit)),
        IMAGE_DESCRIPTION=text("x" * (limit - 1)),
        ARTIST=text("y" * (limit - 1)),
    )
    metadata = read_derivative_metadata(ranged(data, reads), len(data), name="a.tif")
    assert sum(length for _, length in reads) <= BOUNDS.total_bytes
    assert b"Night Watch" not in metadata.xmp
    assert "a.tif" in caplog.text
    assert "700" in caplog.text


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        (bytes(400), "It is not an ICC profile"),
        (PROFILE[:300], "cut off"),
        (PROFILE[:16] + b"GRAY" + PROFILE[20:], "for other pixels"),
    ],
)
def test_an_invalid_profile_is_left_out(
    profile: bytes, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    metadata = read(described(ICC_PROFILE=opaque(profile)))
    assert metadata.icc == b""
    assert metadata.xmp
    assert sentence in caplog.text


def test_a_pyramid_without_a_profile_is_srgb_as_browsers_take_it() -> None:
    assert read(described(ICC_PROFILE=None)).icc == SRGB == PROFILE


def test_pyramids_in_gray_have_gray_profiles_or_none() -> None:
    gray = gamma_profile(2.2, "gray")
    black_is_zero = {"PHOTOMETRIC": shorts(1)}
    assert read(described(ICC_PROFILE=opaque(gray), **black_is_zero)).icc == gray
    assert read(described(ICC_PROFILE=None, **black_is_zero)).icc == b""
    assert read(described(**black_is_zero)).icc == b""


def test_bytes_behind_a_profile_are_cut_off() -> None:
    assert read(described(ICC_PROFILE=opaque(PROFILE + bytes(9)))).icc == PROFILE


def test_fields_of_a_wrong_kind_are_left_out() -> None:
    metadata = read(
        described(ARTIST=shorts(7), COPYRIGHT=text(" "), DATE_TIME=text("last Tuesday"))
    )
    assert set(metadata.fields.entries) == {Tag.IMAGE_DESCRIPTION}


def test_a_file_that_is_no_tiff_has_no_metadata_and_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert read(b"II*\0" + bytes(40)) == DerivativeMetadata()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert DerivativeMetadata().exif(3, 4) == b""


def test_a_read_that_fails_is_not_taken_for_damage() -> None:
    class BlockMissing(Exception):
        pass

    def missing(offset: int, length: int) -> bytes:
        raise BlockMissing

    with pytest.raises(BlockMissing):
        read_derivative_metadata(missing, 1_000, name="a.tif")


@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_pyramids_of_other_writers_are_read(tmp_path: Path, byteorder: str) -> None:
    path = tmp_path / "m.tif"
    tags = [(int(Tag.COPYRIGHT), 2, 0, "CC0", True)]
    tifffile.imwrite(
        path,
        PIXELS,
        photometric="rgb",
        byteorder="<" if byteorder == "<" else ">",
        bigtiff=True,
        description="Leinwand",
        metadata=None,
        extratags=tags,
    )
    fields = read(path.read_bytes()).fields.entries
    assert (fields[Tag.IMAGE_DESCRIPTION], fields[Tag.COPYRIGHT]) == (text("Leinwand"), text("CC0"))


def test_our_own_access_masters_tell_nothing_but_their_colours(tmp_path: Path) -> None:
    write_file(PIXELS, tmp_path / "a.tif")
    metadata = read((tmp_path / "a.tif").read_bytes())
    assert (metadata.icc, metadata.exif(3, 4), metadata.xmp) == (SRGB, b"", b"")


@pytest.mark.slow
@settings(max_examples=300)
@given(
    flips=st.lists(st.tuples(st.integers(0, 3_500), st.integers(0, 255)), max_size=12),
    cut=st.integers(0, 3_500),
)
def test_damage_never_fails(flips: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(described())
    for place, value in flips:
        data[place % len(data)] = value
    read(bytes(data[: len(data) - cut])).exif(300, 200)


def test_the_shortest_profile_that_there_can_be_leaves() -> None:
    header = bytearray(132)
    header[:4], header[16:20], header[36:40] = struct.pack(">I", 132), b"RGB ", b"acsp"
    assert read(described(ICC_PROFILE=opaque(bytes(header)))).icc == bytes(header)
    assert read(described(ICC_PROFILE=opaque(bytes(header[:131])))).icc == b""
