"""The flattened picture of a Photoshop file, and what its resources say."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs.corpora.corpus_colours import eight, picture, sixteen
from tests.rigs.corpora.photoshop_masters import (
    GRAY,
    RGB,
    VERSION_RESOURCE,
    pack_resource,
    photoshop_file,
    planar,
)
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference
from vitrine.errors import MasterRejected
from vitrine.ingest.convert.conversion import read_metadata
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.store.tiff.tags import Tag

LIMITS = MasterLimits(pixels=10_000_000, bytes=64 << 20)
PLANES = planar(eight(picture()))
LAB, MULTICHANNEL = 9, 7


def header_of(body: bytes, tmp_path: Path) -> Header:
    (tmp_path / "m.psd").write_bytes(body)
    with LocalFile(tmp_path / "m.psd") as file:
        return read_header(file, "photoshop", LIMITS)


def code_of(body: bytes, tmp_path: Path) -> str:
    with pytest.raises(MasterRejected) as raised:
        header_of(body, tmp_path)
    return raised.value.rejection.code


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("compressed", [False, True])
def test_sixteen_bits_of_a_psd_and_a_psb_are_shown(
    tmp_path: Path, large: bool, compressed: bool
) -> None:
    rgb = planar(sixteen(picture()))
    body = photoshop_file(rgb, RGB, large=large, compressed=compressed)
    assert header_of(body, tmp_path).bits == 16
    assert difference(convert_pixels(tmp_path / "m.psd") / 255, picture()) < 0.7
    body = photoshop_file(rgb[:1], GRAY, large=large, compressed=compressed)
    (tmp_path / "m.psd").write_bytes(body)
    gray = np.repeat(picture()[..., :1], 3, axis=-1)
    assert difference(convert_pixels(tmp_path / "m.psd") / 255, gray) < 0.7


def test_layers_without_their_flattened_picture_are_refused_with_advice(tmp_path: Path) -> None:
    version = pack_resource(VERSION_RESOURCE, struct.pack(">IB", 1, 0) + bytes(12))
    with pytest.raises(MasterRejected, match="Maximize Compatibility") as raised:
        header_of(photoshop_file(PLANES, RGB, resources=version), tmp_path)
    assert raised.value.rejection.code == "unflattened-picture"
    version = pack_resource(VERSION_RESOURCE, struct.pack(">IB", 1, 1) + bytes(12))
    assert header_of(photoshop_file(PLANES, RGB, resources=version), tmp_path).notes == ()


def test_saved_selections_are_left_out_with_a_note(tmp_path: Path) -> None:
    planes = np.concatenate([PLANES, PLANES[:1]])
    header = header_of(photoshop_file(planes, RGB), tmp_path)
    assert [note.code for note in header.notes] == ["extra-samples-dropped"]
    assert difference(convert_pixels(tmp_path / "m.psd") / 255, picture()) < 0.7


@pytest.mark.parametrize(
    ("at", "value", "code"),
    [
        (22, 32, "unsupported-depth"),
        (24, LAB, "unsupported-colour"),
        (24, MULTICHANNEL, "unsupported-colour"),
        (12, 1, "unsupported-colour"),
        (4, 3, "unreadable-file"),
        (12, 60_000, "unreadable-file"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, at: int, value: int, code: str) -> None:
    body = bytearray(photoshop_file(PLANES, RGB))
    struct.pack_into(">H", body, at, value)
    assert code_of(bytes(body), tmp_path) == code


def test_a_bomb_is_refused_from_its_header(tmp_path: Path) -> None:
    body = bytearray(photoshop_file(PLANES, RGB))
    struct.pack_into(">II", body, 14, 60_000, 60_000)
    assert code_of(bytes(body), tmp_path) == "too-large"


def test_lengths_beyond_the_file_are_damage(tmp_path: Path) -> None:
    body = photoshop_file(PLANES, RGB, resources=pack_resource(0x0404, b"abcd"))
    for at in (26, 30, 42):
        changed = bytearray(body)
        struct.pack_into(">I", changed, at, 2**31)
        assert code_of(bytes(changed), tmp_path) == "damaged-file"
    assert code_of(body[:-1], tmp_path) == "damaged-file"
    assert code_of(body[:20], tmp_path) == "damaged-file"


def test_rights_and_resolution_in_the_resources_are_read(tmp_path: Path) -> None:
    iptc = b"\x1c\x02\x74\0\x09CC0, 2003"
    thumbnail, url, dpi = 0x040C, 0x040B, 0x03ED
    resources = {
        0x0404: iptc,
        thumbnail: bytes(5_000),
        url: b"https://example.org/rights",
        0x0424: b"<x/>",
        dpi: struct.pack(">IHHIHH", 300 << 16, 1, 1, 300 << 16, 1, 1),
    }
    block = b"".join(pack_resource(number, data) for number, data in resources.items())
    header = header_of(photoshop_file(PLANES, RGB, resources=block), tmp_path)
    entries = read_metadata(tmp_path / "m.psd", header).entries
    assert entries[Tag.IPTC].data == iptc
    assert entries[Tag.XMP].data == b"<x/>"
    assert entries[Tag.PHOTOSHOP].data == pack_resource(url, resources[url])
    over, under = struct.unpack("<II", entries[Tag.X_RESOLUTION].data)
    assert over / under * 2.54 == pytest.approx(300, abs=0.01)


def test_many_tiny_resources_cost_no_minutes(tmp_path: Path) -> None:
    flood: Any = pack_resource(1, b"") * 500_000
    assert code_of(photoshop_file(PLANES, RGB, resources=flood), tmp_path) == "damaged-file"
