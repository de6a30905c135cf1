"""PNG and WebP chunks."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.rigs.corpora.corpus_colours import eight, picture
from tests.rigs.corruption.variant_judge import convert_pixels
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.formats.made_profile import gamma_profile
from vitrine.ingest.inspect.formats.png_format import read_png
from vitrine.ingest.inspect.formats.webp_format import read_webp
from vitrine.ingest.inspect.master_bytes import LocalFile

MAX_PIXELS = 10_000_000
AFTER_HEADER = 33


def saved(form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(eight(picture())).save(file, form, **options)
    return file.getvalue()


def with_chunk(name: bytes, data: bytes, *, damaged: bool = False) -> bytes:
    body = saved("PNG")
    checksum = zlib.crc32(name + data) ^ damaged
    chunk = struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)
    return body[:AFTER_HEADER] + chunk + body[AFTER_HEADER:]


def format_of(body: bytes, tmp_path: Path) -> Any:
    path = tmp_path / "m"
    path.write_bytes(body)
    with LocalFile(path) as file:
        return (read_png if body[:4] == b"\x89PNG" else read_webp)(file, MAX_PIXELS)


def code_of(body: bytes, tmp_path: Path) -> str:
    with pytest.raises(MasterRejected) as raised:
        format_of(body, tmp_path)
    return raised.value.rejection.code


def test_the_gamma_of_srgb_is_left_alone(tmp_path: Path) -> None:
    assert format_of(with_chunk(b"gAMA", struct.pack(">I", 45_455)), tmp_path).made_icc is None
    made = format_of(with_chunk(b"gAMA", struct.pack(">I", 50_000)), tmp_path).made_icc
    assert made == gamma_profile(2.0, "rgb")


@pytest.mark.parametrize("transfer", [(16, "PQ"), (18, "HLG")])
def test_high_dynamic_range_is_refused_by_its_name(
    tmp_path: Path, transfer: tuple[int, str]
) -> None:
    body = with_chunk(b"cICP", bytes((9, transfer[0], 0, 1)))
    with pytest.raises(MasterRejected, match=transfer[1]) as raised:
        format_of(body, tmp_path)
    assert raised.value.rejection.code == "high-dynamic-range"


def test_code_points_of_srgb_need_no_profile_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    assert format_of(with_chunk(b"cICP", bytes((1, 13, 0, 1))), tmp_path).made_icc is None
    for points in ((1, 13, 1, 1), (1, 13, 0, 0), (99, 13, 0, 1), (1, 99, 0, 1)):
        assert code_of(with_chunk(b"cICP", bytes(points)), tmp_path) == "unsupported-colour"


def test_a_chunk_with_a_wrong_checksum_is_damage(tmp_path: Path) -> None:
    body = with_chunk(b"gAMA", struct.pack(">I", 50_000), damaged=True)
    assert code_of(body, tmp_path) == "damaged-file"


def test_a_flipped_bit_in_the_pixels_of_a_png_is_noticed(tmp_path: Path) -> None:
    body = bytearray(saved("PNG"))
    body[len(body) // 2] ^= 1
    (tmp_path / "m.png").write_bytes(body)
    with pytest.raises(MasterRejected, match="damaged-file"):
        convert_pixels(tmp_path / "m.png")


def test_a_png_without_its_last_chunk_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "m.png").write_bytes(saved("PNG")[:-12])
    with pytest.raises(MasterRejected, match="last chunk"):
        convert_pixels(tmp_path / "m.png")


def test_animations_are_noted(tmp_path: Path) -> None:
    frames = [Image.fromarray(np.full((20, 20, 3), value, "u1")) for value in (10, 200)]
    for form in ("PNG", "WEBP"):
        file = io.BytesIO()
        frames[0].save(file, form, save_all=True, append_images=frames[1:])
        notes = format_of(file.getvalue(), tmp_path).notes
        assert [note.code for note in notes] == ["animation-stilled"]


def test_the_three_kinds_of_webp_are_distinguished(tmp_path: Path) -> None:
    assert format_of(saved("WEBP"), tmp_path).compression == "WebP"
    lossless = format_of(saved("WEBP", lossless=True), tmp_path)
    assert (lossless.compression, lossless.width, lossless.height) == ("WebP, lossless", 240, 160)
    extended = format_of(saved("WEBP", icc_profile=b"profile"), tmp_path)
    assert (extended.width, extended.height, extended.icc) == (240, 160, b"profile")


def test_a_webp_shorter_than_it_says_is_cut_off(tmp_path: Path) -> None:
    assert code_of(saved("WEBP")[:-1], tmp_path) == "damaged-file"
    assert code_of(saved("WEBP")[:25], tmp_path) == "damaged-file"


def png_of(*header: int, before: bytes = b"") -> bytes:
    """A PNG's head up to its pixels: width, height, bits, colour type, interlaced."""
    width, height, bits, colour, interlaced = header
    ihdr = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)

    def chunk(name: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)

    inner = chunk(before, bytes(2)) if before else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", ihdr) + inner + chunk(b"IDAT", b"")


@pytest.mark.parametrize(
    ("header", "extra", "expected"),
    [
        ((7, 5, 8, 0, 0), b"", ("gray", 8, 0, None, "deflate", 7)),
        ((7, 5, 1, 0, 0), b"", ("gray", 8, 0, None, "deflate", 7)),
        ((7, 5, 16, 0, 0), b"", ("gray", 16, 0, None, "deflate", 14)),
        ((7, 5, 8, 2, 0), b"", ("rgb", 8, 0, None, "deflate", 21)),
        ((7, 5, 16, 2, 1), b"", ("rgb", 16, 0, None, "deflate, interlaced", 210)),
        ((7, 5, 8, 3, 0), b"tRNS", ("rgb", 8, 1, 0, "deflate", 28)),
        ((7, 5, 16, 4, 0), b"", ("gray", 16, 1, 0, "deflate", 28)),
        ((7, 5, 16, 6, 1), b"", ("rgb", 16, 1, 0, "deflate, interlaced", 280)),
    ],
)
def test_the_header_of_a_png_says_what_it_holds_and_what_decoding_takes(
    tmp_path: Path, header: tuple[int, ...], extra: bytes, expected: tuple[Any, ...]
) -> None:
    """Decoding holds one row, of an interlaced picture all of them."""
    read = format_of(png_of(*header, before=extra), tmp_path)
    assert (read.width, read.height) == header[:2]
    assert (
        read.colour,
        read.bits,
        read.extra_bands,
        read.alpha,
        read.compression,
        read.decoder_bytes,
    ) == expected
    assert read.notes == ()


def test_a_png_may_have_as_many_pixels_as_are_allowed_and_no_more(tmp_path: Path) -> None:
    assert format_of(png_of(10_000, 1_000, 8, 2, 0), tmp_path).width == 10_000
    assert code_of(png_of(10_000, 1_001, 8, 2, 0), tmp_path) == "too-large"


@pytest.mark.parametrize("header", [(0, 5, 8, 2, 0), (5, 0, 8, 2, 0), (5, 5, 8, 5, 0)])
def test_a_png_with_an_impossible_header_is_unreadable(
    tmp_path: Path, header: tuple[int, ...]
) -> None:
    assert code_of(png_of(*header), tmp_path) == "unreadable-file"


def test_a_png_whose_header_chunk_has_another_length_is_unreadable(tmp_path: Path) -> None:
    body = b"IHDR" + bytes(12)
    short = struct.pack(">I", 12) + body + struct.pack(">I", zlib.crc32(body))
    end = struct.pack(">I4s", 0, b"IDAT")
    assert code_of(b"\x89PNG\r\n\x1a\n" + short + end, tmp_path) == "unreadable-file"
