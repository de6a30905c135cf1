"""Kinds of files by their first bytes."""

import pytest

from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.signature import detect_format


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
        (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
        (b"\xff\x4f\xff\x51", "jp2"),
        (b"8BPS\0\1", "photoshop"),
        (b"8BPS\0\2", "photoshop"),
        (b"GIF89a", "gif"),
        (b"BM", "bmp"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "avif"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif", "avif"),
    ],
)
def test_readable_formats_are_recognised_by_their_first_bytes(
    prefix: bytes, file_format: str
) -> None:
    assert detect_format(prefix) == file_format


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"%PDF-1.7", "PDF"),
        (b"\0\0\0\x18ftypheic", "HEIC"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x18ftypcrx ", "Camera raw"),
        (b"\0\0\0\x20ftypisom", "Video"),
        (b"\x76\x2f\x31\x01", "OpenEXR"),
    ],
)
def test_a_known_kind_that_cannot_be_read_is_named(prefix: bytes, name: str) -> None:
    with pytest.raises(MasterRejected) as raised:
        detect_format(prefix)
    assert raised.value.rejection.code == "unsupported-format"
    assert raised.value.rejection.value == name
    assert name in raised.value.rejection.sentence


@pytest.mark.parametrize(
    ("prefix", "advice"),
    [
        (b"\0\0\0\x18ftypheic", "Preview"),
        (b"%PDF-1.7", "Export To, Image, TIFF"),
        (b"\0\0\0\x18ftypcrx ", "Lightroom"),
        (b"gimp xcf v011", "In GIMP"),
        (b"SIMPLE  =", "16-bit TIFF"),
    ],
)
def test_advice_is_that_of_the_format(prefix: bytes, advice: str) -> None:
    with pytest.raises(MasterRejected) as raised:
        detect_format(prefix)
    assert advice in raised.value.rejection.sentence
