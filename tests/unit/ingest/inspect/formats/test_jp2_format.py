"""JPEG 2000: boxes, the main header of a codestream, its tiles."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.rigs.corpora.corpus_colours import eight, picture, sixteen
from tests.rigs.corpora.jpeg2000_masters import (
    box,
    codestream,
    defined,
    enumerated,
    jp2,
    profiled,
    tiled,
)
from tests.rigs.corruption.variant_judge import convert_pixels
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.formats.jp2_format import Jp2Picture, read_jp2
from vitrine.ingest.inspect.formats.jp2_metadata import read_jp2_metadata
from vitrine.ingest.inspect.master_bytes import LocalFile

MAX_PIXELS = 10_000_000
SMALL = eight(picture(40, 30))
PLAIN = codestream(SMALL)
TILES = tiled(SMALL, 16)
SIZE, COMPONENTS = 8, 42
"""Offsets in a codestream: width and height; 36 bytes after the marker's length, samples."""
CODING = PLAIN.index(b"\xff\x52") + 4
TILE_PART = b"\xff\x90\0\n"


def read(body: bytes, tmp_path: Path) -> Jp2Picture:
    path = tmp_path / "m.jp2"
    path.write_bytes(body)
    with LocalFile(path) as file:
        return read_jp2(file, MAX_PIXELS)


def code_of(body: bytes, tmp_path: Path) -> str:
    with pytest.raises(MasterRejected) as raised:
        read(body, tmp_path)
    assert raised.value.rejection.value
    return raised.value.rejection.code


def fate(body: bytes, tmp_path: Path) -> str:
    """The code under which it is refused before a pixel is published."""
    path = tmp_path / "m.jp2"
    path.write_bytes(body)
    with pytest.raises(MasterRejected) as raised:
        convert_pixels(path)
    return raised.value.rejection.code


def patched(body: bytes, place: int, form: str, *values: int) -> bytes:
    changed = bytearray(body)
    struct.pack_into(form, changed, place, *values)
    return bytes(changed)


def test_a_file_says_size_depth_and_colours(tmp_path: Path, adobe_profile: bytes) -> None:
    found = read(
        jp2(codestream(sixteen(picture(40, 30))), profiled(adobe_profile)), tmp_path
    ).picture_format
    assert (found.width, found.height, found.colour, found.bits) == (40, 30, "rgb", 16)
    assert (found.icc, found.compression) == (adobe_profile, "JPEG 2000, reversible")
    assert read(TILES, tmp_path).picture_format.compression == "HTJ2K, reversible"


@pytest.mark.parametrize("brand", [b"jp2 ", b"jpx ", b"jph "])
def test_jp2_jpx_and_jph_files_are_read(brand: bytes, tmp_path: Path) -> None:
    assert read(jp2(PLAIN, enumerated(16), brand=brand), tmp_path).picture_format.colour == "rgb"


def test_a_compound_document_is_not_taken_for_its_picture(tmp_path: Path) -> None:
    assert code_of(jp2(PLAIN, enumerated(16), brand=b"jpm "), tmp_path) == "unsupported-format"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ([enumerated(20)], "unsupported-colour"),
        ([enumerated(14)], "unsupported-colour"),
        ([enumerated(12)], "unreadable-file"),
        ([box(b"colr", b"\2\0\0", bytes(16), b"XYZ ")], "unsupported-colour"),
        ([box(b"colr")], "damaged-file"),
        ([enumerated(16), defined((0, 0, 1), (1, 0, 2))], "unreadable-file"),
        ([enumerated(16), defined((0, 0, 1), (1, 0, 1), (2, 0, 3))], "damaged-file"),
        ([enumerated(16), defined((9, 0, 1))], "damaged-file"),
        ([enumerated(16), defined((0, 7, 1))], "damaged-file"),
        ([enumerated(16), box(b"cdef", b"\0\7")], "damaged-file"),
        ([enumerated(16), box(b"pclr", b"\0\0\3\7\7\7")], "damaged-file"),
        ([enumerated(16), box(b"pclr", b"\0\1\3\x0b\x0b\x0b")], "unsupported-depth"),
        ([enumerated(16), box(b"pclr", b"\0\1\3\7\7\7abc")], "unsupported-colour"),
    ],
)
def test_colours_that_are_not_known_are_refused(
    header: list[bytes], code: str, tmp_path: Path
) -> None:
    assert code_of(jp2(PLAIN, *header), tmp_path) == code


def test_a_profile_is_found_behind_a_colour_space_that_is_not_known(
    tmp_path: Path, adobe_profile: bytes
) -> None:
    body = jp2(PLAIN, enumerated(20), profiled(adobe_profile))
    assert read(body, tmp_path).picture_format.icc == adobe_profile


def test_a_raw_codestream_of_four_unnamed_components_may_be_anything(tmp_path: Path) -> None:
    four = codestream(np.dstack([SMALL, SMALL[..., :1]]), mct=False)
    assert code_of(four, tmp_path) == "unsupported-colour"
    mixed = patched(four, four.index(b"\xff\x52") + 8, ">B", 1)
    found = read(mixed, tmp_path)
    assert (found.picture_format.colour, found.chosen) == ("rgb", (0, 1, 2))
    assert [note.code for note in found.picture_format.notes] == ["extra-samples-dropped"]


@pytest.mark.parametrize(
    ("place", "form", "values", "code"),
    [
        (SIZE, ">II", (60_000, 60_000), "too-large"),
        (SIZE, ">II", (0, 30), "damaged-file"),
        (SIZE + 8, ">II", (41, 0), "damaged-file"),
        (SIZE + 16, ">II", (0, 0), "damaged-file"),
        (SIZE + 32, ">H", (16_384,), "unsupported-colour"),
        (SIZE + 32, ">H", (0,), "unsupported-colour"),
        (SIZE + 32, ">H", (4,), "damaged-file"),
        (COMPONENTS, ">B", (0x87,), "unsupported-depth"),
        (COMPONENTS, ">B", (16,), "unsupported-depth"),
        (COMPONENTS + 4, ">BB", (2, 2), "unsupported-colour"),
        (CODING + 2, ">H", (0,), "damaged-file"),
        (CODING + 5, ">B", (33,), "damaged-file"),
        (CODING + 6, ">BB", (8, 8), "damaged-file"),
        (CODING + 8, ">B", (0xC0,), "unsupported-compression"),
        (CODING - 2, ">H", (1,), "damaged-file"),
        (CODING - 4, ">H", (0xFF64,), "unreadable-file"),
    ],
)
def test_a_codestream_that_makes_no_sense_is_refused_from_its_header(
    place: int, form: str, values: tuple[int, ...], code: str, tmp_path: Path
) -> None:
    assert code_of(patched(PLAIN, place, form, *values), tmp_path) == code


def test_tiles_layers_and_precincts_count_as_memory_before_a_pixel_is_read(tmp_path: Path) -> None:
    plain = read(PLAIN, tmp_path).codestream.decoder_bytes
    assert plain < 1_000_000
    tiny_tiles = patched(PLAIN, SIZE + 16, ">II", 1, 1)
    assert read(tiny_tiles, tmp_path).codestream.decoder_bytes > 1200 * 6_000
    wide = patched(PLAIN, SIZE, ">IIIIII", 3_000, 3_000, 0, 0, 3_000, 3_000)
    coding = PLAIN[CODING - 4 : CODING + 10]
    levels = coding[9]
    tiny = coding[:2] + struct.pack(">HB", 12 + levels + 1, 1) + coding[5:] + bytes(levels + 1)
    precincts = wide.replace(coding, tiny)
    assert read(wide, tmp_path).codestream.decoder_bytes < 200_000_000
    assert read(precincts, tmp_path).codestream.decoder_bytes > 10_000_000_000
    too_many = patched(PLAIN, SIZE, ">IIIIII", 3_000, 3_000, 0, 0, 1, 1)
    assert code_of(too_many, tmp_path) == "damaged-file"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (jp2(PLAIN, enumerated(16))[:-1], "damaged-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"\0\0\0\x14ftyp", b"\0\0\0\7ftyp"), "damaged-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"\0\0\0\x14ftyp", b"\0\0\0\1ftyp"), "damaged-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"ftyp", b"free"), "unreadable-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"jp2h", b"free"), "unreadable-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"jp2c", b"free"), "unreadable-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"ihdr", b"free"), "damaged-file"),
        (jp2(PLAIN, enumerated(16)).replace(b"\0\x0fcolr", b"\0\x7fcolr"), "damaged-file"),
        (
            jp2(PLAIN, enumerated(16)).replace(b"ihdr\0\0\0\x1e", b"ihdr\0\0\0\x1f"),
            "unreadable-file",
        ),
    ],
)
def test_boxes_that_lie_are_refused(body: bytes, code: str, tmp_path: Path) -> None:
    assert code_of(body, tmp_path) == code


def test_a_box_may_reach_to_the_end_or_have_a_long_length(tmp_path: Path) -> None:
    body = jp2(PLAIN, enumerated(16))
    length = struct.pack(">I", len(PLAIN) + 8)
    assert (
        read(body.replace(length + b"jp2c", b"\0\0\0\0jp2c"), tmp_path).picture_format.width == 40
    )
    long = b"\0\0\0\1jp2c" + struct.pack(">Q", len(PLAIN) + 16)
    assert read(body.replace(length + b"jp2c", long), tmp_path).picture_format.width == 40


def test_a_further_codestream_is_noted(tmp_path: Path) -> None:
    body = jp2(PLAIN, enumerated(16), after=box(b"jp2c", PLAIN), brand=b"jpx ")
    assert [note.code for note in read(body, tmp_path).picture_format.notes] == ["pages-left-out"]


def _parts(body: bytes) -> list[int]:
    return [at for at in range(len(body)) if body.startswith(TILE_PART, at)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body[: _parts(body)[-1]] + b"\xff\xd9",
        lambda body: body[: _parts(body)[2]] + body[_parts(body)[3] :],
        lambda body: body[:-2],
        lambda body: body[:-40] + b"\xff\xd9",
        lambda body: patched(body, _parts(body)[1] + 4, ">H", 60_000),
        lambda body: patched(body, _parts(body)[1] + 6, ">I", 13),
        lambda body: patched(body, _parts(body)[1] + 6, ">I", 2**32 - 1),
        lambda body: patched(body, _parts(body)[1] + 10, ">B", 1),
        lambda body: patched(body, _parts(body)[1] + 11, ">B", 9),
        lambda body: patched(body, _parts(body)[1] + 12, ">H", 0),
    ],
)
def test_a_tile_that_is_missing_or_cut_off_is_never_published_gray(
    damage: Any, tmp_path: Path
) -> None:
    """OpenJPEG decodes the first of these to black, and tells nobody."""
    assert fate(damage(TILES), tmp_path) == "damaged-file"


def test_a_tile_cannot_ask_for_more_than_the_main_header_did(tmp_path: Path) -> None:
    at = PLAIN.index(TILE_PART)
    coding = PLAIN[CODING - 4 : CODING + 10]
    many_layers = patched(coding, 6, ">H", 65_535)
    part = PLAIN[at + 12 : -2]
    head = PLAIN[at : at + 6] + struct.pack(">IBB", 12 + len(many_layers) + len(part), 0, 1)
    body = PLAIN[:at] + head + many_layers + part + b"\xff\xd9"
    assert fate(body, tmp_path) == "unsupported-compression"


def test_metadata_stands_in_boxes_before_and_after_the_pixels(tmp_path: Path) -> None:
    resolution = box(b"res ", box(b"resc", struct.pack(">HHHHbb", 300, 254, 600, 254, 4, 4)))
    packet = b"<x:xmpmeta/>"
    after = box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), packet)
    after += box(b"uuid", b"JpgTiffExif->JP2", b"II*\0") + box(b"uuid", bytes(16), b"other")
    path = tmp_path / "m.jp2"
    path.write_bytes(jp2(PLAIN, enumerated(16), resolution, after=after))
    with LocalFile(path) as file:
        blocks, dots = read_jp2_metadata(file)
    assert blocks == {"xmp": packet, "exif": b"II*\0"}
    assert dots == pytest.approx((600 / 0.0254, 300 / 0.0254))
