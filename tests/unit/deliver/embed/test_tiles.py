"""Every tile carries its colours and rights, in hundreds of bytes, read from the file's head."""

import io
from pathlib import Path

import pytest
from PIL import Image

from tests.unit.deliver.embed.embed_files import (
    PACKET,
    PIXELS,
    SECRETS,
    STATEMENT,
    assert_valid,
    decoded,
    described,
    encoded,
    exiftool,
    ranged,
)
from tests.unit.ingest.made_pyramids import write_file
from vitrine.deliver.embed.srgb import SRGB
from vitrine.deliver.embed.tiles import (
    MAX_RIGHTS_LENGTH,
    TILE_METADATA,
    TileMetadata,
    read_tile_segments,
    tile_segments_reader,
)
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.settings.deliver import DeliverOptions
from vitrine.store.tiff.entry import opaque, text
from vitrine.store.tiff.tags import Tag, Type
from vitrine.store.tiff.writing import LARGE_VALUE_BYTES

JFIF_END = 20


def segments(data: bytes, setting: TileMetadata = "rights") -> bytes:
    return read_tile_segments(ranged(data), len(data), setting, name="a.tif")


def tile(data: bytes, path: Path) -> Path:
    """A tile as it is delivered: segments behind JFIF's."""
    image = encoded("jpg")
    path.write_bytes(image[:JFIF_END] + segments(data) + image[JFIF_END:])
    assert (decoded(path.read_bytes()) == decoded(image)).all()
    return path


def test_exiftool_sees_creator_rights_and_colours_and_nothing_wrong(tmp_path: Path) -> None:
    path = tile(described(), tmp_path / "t.jpg")
    seen = exiftool(path)
    assert {name: value for name, value in seen.items() if name.startswith("XMP")} == {
        "XMP-xmpRights:WebStatement": STATEMENT,
        "XMP-photoshop:Credit": "Rijksmuseum",
    }
    assert (seen["IFD0:Artist"], seen["IFD0:Copyright"]) == ("Rembrandt van Rijn", "CC0")
    assert seen["ICC_Profile:ProfileDescription"] == "sRGB"
    assert_valid(path)


def test_a_tile_grows_by_hundreds_of_bytes() -> None:
    assert len(segments(described(), "profile")) == len(SRGB) + 18
    assert len(segments(described(XMP=None))) < 700
    assert len(segments(described())) < 1_200
    assert segments(described(), "none") == b""


def test_nothing_else_goes_along() -> None:
    leaving = segments(described())
    assert [secret for secret in (*SECRETS, b"Leinwand", b"2026:11") if secret in leaving] == []


def test_rights_known_to_xmp_alone_are_said_in_exif(tmp_path: Path) -> None:
    seen = exiftool(tile(described(ARTIST=None, COPYRIGHT=None), tmp_path / "t.jpg"))
    assert seen["IFD0:Artist"] == "Rembrandt; Workshop"
    assert seen["IFD0:Copyright"] == "CC0 & free"


def test_long_texts_are_left_to_larger_images() -> None:
    long = described(COPYRIGHT=text("x" * MAX_RIGHTS_LENGTH), XMP=None)
    assert b"xxx" not in segments(long)
    assert b"Rembrandt" in segments(long)


def test_xmp_that_lies_behind_the_tiles_is_not_fetched_for_tiles() -> None:
    packet = PACKET + b" " * LARGE_VALUE_BYTES
    data = described(XMP=opaque(packet, Type.BYTE))
    assert data.endswith(packet + bytes(len(packet) % 2))
    reads: list[tuple[int, int]] = []
    rights = read_tile_segments(ranged(data, reads), len(data), "rights", name="a.tif")
    assert max(offset + length for offset, length in reads) <= data.index(PACKET)
    assert b"Rembrandt van Rijn" in rights
    assert STATEMENT.encode() not in rights


def test_our_own_access_masters_are_read_from_their_head(tmp_path: Path) -> None:
    described_ = Metadata({Tag.ARTIST: text("Rembrandt"), Tag.XMP: opaque(PACKET, Type.BYTE)})
    plan, _ = write_file(PIXELS, tmp_path / "a.tif", metadata=described_)
    data, reads = (tmp_path / "a.tif").read_bytes(), list[tuple[int, int]]()
    rights = read_tile_segments(ranged(data, reads), len(data), "rights", name="a.tif")
    assert b"Rembrandt" in rights
    assert max(offset + length for offset, length in reads) <= plan.head_bytes()


def test_a_profile_that_needs_several_segments_is_left_to_larger_images() -> None:
    profile = (80_000).to_bytes(4, "big") + SRGB[4:] + bytes(80_000 - len(SRGB))
    assert segments(described(ICC_PROFILE=opaque(profile)), "profile") == b""


def test_a_damaged_file_costs_the_segments_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert segments(b"II*\0" + bytes(90)) == b""
    assert "a.tif" in caplog.text


def test_tiles_without_jfif_take_the_segments() -> None:
    image = encoded("jpg")
    bare = image[:2] + segments(described()) + image[JFIF_END:]
    assert Image.open(io.BytesIO(bare)).info["icc_profile"] == SRGB


def test_the_setting_is_one_of_three() -> None:
    data = described()
    default = DeliverOptions().tile_metadata
    read = tile_segments_reader(default)
    assert read(ranged(data), len(data), "a.tif") == segments(data, "rights")
    for name in TILE_METADATA:
        read = tile_segments_reader(name)
        assert read(ranged(data), len(data), "a.tif") == segments(data, name)
    with pytest.raises(ValueError, match="none, profile, rights, not 'all'"):
        tile_segments_reader("all")
