"""Kinds of files by their first bytes."""

import struct

import pytest

from vitrine.errors import MasterRejected
from vitrine.ingest.formats import check_whole, detect_format


@pytest.mark.parametrize(
    ("prefix", "file_format"),
    [
        (b"II*\0", "tiff"),
        (b"MM\0*", "tiff"),
        (b"II+\0", "tiff"),
        (b"MM\0+", "tiff"),
        (b"\xff\xd8\xff\xe1", "jpeg"),
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"RIFF\0\0\0\0WEBP", "webp"),
    ],
)
def test_readable_kinds_are_told_by_their_first_bytes(prefix: bytes, file_format: str) -> None:
    assert detect_format(prefix) == file_format


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_a_tiff_cut_off_before_its_directory_is_damaged(order: str, big: bool) -> None:
    name = b"II" if order == "<" else b"MM"
    if big:
        prefix = name + struct.pack(f"{order}HHHQ", 43, 8, 0, 5000)
    else:
        prefix = name + struct.pack(f"{order}HI", 42, 5000)
    check_whole(prefix, 5001)
    with pytest.raises(MasterRejected, match="damaged-file"):
        check_whole(prefix, 5000)
    with pytest.raises(MasterRejected, match="damaged-file"):
        check_whole(prefix[:6], 6)
