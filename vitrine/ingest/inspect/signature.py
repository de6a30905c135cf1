"""The format of a file, by its first bytes and never by its name."""

from vitrine.ingest.rejections import not_an_image, unsupported_format

PREFIX_BYTES = 64
"""Bytes that `detect_format` needs."""

READABLE = frozenset({"tiff", "jpeg", "jp2", "png", "webp"})

_SIGNATURES: tuple[tuple[str, int, bytes], ...] = (
    ("tiff", 0, b"II*\0"),
    ("tiff", 0, b"MM\0*"),
    ("tiff", 0, b"II+\0"),
    ("tiff", 0, b"MM\0+"),
    ("jpeg", 0, b"\xff\xd8\xff"),
    ("png", 0, b"\x89PNG\r\n\x1a\n"),
    ("webp", 8, b"WEBP"),
    ("jp2", 4, b"jP  \r\n\x87\n"),
    ("jp2", 0, b"\xff\x4f\xff\x51"),
    ("JPEG XL", 4, b"JXL \r\n\x87\n"),
    ("JPEG XL", 0, b"\xff\x0a"),
    ("Photoshop", 0, b"8BPS"),
    ("PDF", 0, b"%PDF-"),
    ("GIF", 0, b"GIF8"),
    ("Canon raw", 4, b"ftypcrx"),
    ("HEIC or AVIF", 4, b"ftyp"),
    ("BMP", 0, b"BM"),
    ("OpenEXR", 0, b"\x76\x2f\x31\x01"),
    ("FITS", 0, b"SIMPLE  ="),
)


def detect_format(prefix: bytes) -> str:
    """Return `tiff`, `jpeg`, `jp2`, `png` or `webp`.

    Raises MasterRejected: `not-an-image`, or `unsupported-format` with the format's name.
    """
    for name, offset, signature in _SIGNATURES:
        if prefix[offset : offset + len(signature)] == signature:
            if name not in READABLE:
                raise unsupported_format(name)
            return name
    raise not_an_image(prefix)
