"""What a header tells, and what is refused before any pixel is read."""

import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile

from vitrine.errors import MasterRejected
from vitrine.ingest.formats import detect_format
from vitrine.ingest.header import Header, check_size, read_header
from vitrine.ingest.limits import Limits

LIMITS = Limits(pixels=1_000_000, bytes=1024 * 1024)
Save = Callable[..., Path]


def read(master: Path, limits: Limits = LIMITS) -> Header:
    file_format = detect_format(master.read_bytes()[:64])
    return read_header(lambda: pyvips.Source.new_from_file(str(master)), file_format, limits)


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(MasterRejected) as raised:
        call()
    rejection = raised.value.rejection
    assert rejection.sentence.endswith(".")
    assert rejection.value
    return rejection.code


def test_a_header_names_colour_depth_and_profile(
    picture: Any, save: Save, adobe_profile: bytes
) -> None:
    pixels = (picture * 65535).astype("u2")
    header = read(save("m.tif", pixels, photometric="rgb", iccprofile=adobe_profile))
    assert header == Header(
        format="tiff",
        page=0,
        width=700,
        height=500,
        colour="rgb",
        bits=16,
        extra_bands=0,
        orientation=1,
        profile="usable",
    )


def test_a_profile_for_other_colours_is_noticed(save: Save, gray_profile: bytes) -> None:
    pixels = np.zeros((9, 9, 3), "u1")
    header = read(save("m.tif", pixels, photometric="rgb", iccprofile=gray_profile))
    assert header.profile == "mismatched"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"Dear colleague, please find attached", "not-an-image"),
        (b"8BPS\0\1", "unsupported-format"),
        (b"%PDF-1.7", "unsupported-format"),
        (b"GIF89a", "unsupported-format"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "unsupported-format"),
        (b"II*\0\xff\xff\xff\x7f", "unreadable-file"),
        (b"\xff\xd8\xff\xe0", "unreadable-file"),
    ],
)
def test_what_is_no_readable_image_is_refused(tmp_path: Path, body: bytes, code: str) -> None:
    master = tmp_path / "m.tif"
    master.write_bytes(body)
    assert code_of(lambda: read(master)) == code


def test_file_sizes_have_limits() -> None:
    check_size(LIMITS.bytes, LIMITS)
    assert code_of(lambda: check_size(0, LIMITS)) == "empty-file"
    assert code_of(lambda: check_size(LIMITS.bytes + 1, LIMITS)) == "too-large"


@pytest.mark.parametrize(
    ("pixels", "options", "code"),
    [
        (np.zeros((9, 9, 3), "f4"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9), "f4"), {"photometric": "minisblack"}, "unsupported-depth"),
        (np.zeros((9, 9, 3), "u4"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((1001, 1000), "u1"), {"photometric": "minisblack"}, "too-large"),
    ],
)
def test_what_cannot_be_converted_faithfully_is_refused(
    save: Save, pixels: Any, options: dict[str, Any], code: str
) -> None:
    master = save("m.tif", pixels, **options)
    assert code_of(lambda: read(master)) == code


def test_eight_bit_lab_is_refused_and_not_converted_wrongly(save: Save) -> None:
    master = save("m.tif", np.full((9, 9, 3), 100, "u1"), photometric="cielab")
    assert code_of(lambda: read(master)) in ("unreadable-file", "unsupported-depth")


def test_a_camera_raw_file_is_not_taken_for_its_preview(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((20, 30, 3), "u1"), photometric="rgb", subifds=1)
        writer.write(np.zeros((200, 300), "u2"), photometric="minisblack")
    assert code_of(lambda: read(tmp_path / "m.tif")) == "unsupported-format"


def test_a_pyramid_in_subifds_is_read_at_full_size(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((200, 300, 3), "u1"), photometric="rgb", subifds=1)
        writer.write(np.zeros((100, 150, 3), "u1"), photometric="rgb")
    assert read(tmp_path / "m.tif").width == 300


def test_a_decompression_bomb_is_refused_at_once(tmp_path: Path) -> None:
    master = tmp_path / "bomb.tif"
    entries = [(256, 60000), (257, 60000), (258, 8), (259, 8), (262, 1), (273, 8), (277, 1)]
    entries += [(278, 60000), (279, 100)]
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    master.write_bytes(
        b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(4) + bytes(100)
    )
    begun = time.monotonic()
    assert code_of(lambda: read(master)) == "too-large"
    assert time.monotonic() - begun < 0.2
