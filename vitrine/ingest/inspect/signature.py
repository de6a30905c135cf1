"""The format of a file, by its first bytes and never by its name."""

from vitrine.ingest.rejections import not_an_image, unsupported_format

PREFIX_BYTES = 64
"""Bytes that `detect_format` needs."""

READABLE = frozenset({"tiff", "jpeg", "jp2", "png", "webp", "avif", "gif", "bmp", "photoshop"})

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
    ("photoshop", 0, b"8BPS"),
    ("gif", 0, b"GIF87a"),
    ("gif", 0, b"GIF89a"),
    ("bmp", 0, b"BM"),
    ("avif", 4, b"ftypavif"),
    ("avif", 4, b"ftypavis"),
    ("HEIC", 4, b"ftyphei"),
    ("HEIC", 4, b"ftyphev"),
    ("HEIC", 4, b"ftypmif1"),
    ("HEIC", 4, b"ftypmsf1"),
    ("Camera raw", 4, b"ftypcrx"),
    ("Camera raw", 0, b"FUJIFILMCCD-RAW"),
    ("Camera raw", 0, b"IIU\0"),
    ("Camera raw", 0, b"IIRO"),
    ("Camera raw", 0, b"IIRS"),
    ("Camera raw", 0, b"FOVb"),
    ("Video", 4, b"ftyp"),
    ("PDF", 0, b"%PDF-"),
    ("PostScript", 0, b"%!PS"),
    ("PostScript", 0, b"\xc5\xd0\xd3\xc6"),
    ("JPEG XR", 0, b"II\xbc"),
    ("DjVu", 0, b"AT&TFORM"),
    ("GIMP", 0, b"gimp xcf"),
    ("ZIP", 0, b"PK\x03\x04"),
    ("OpenEXR", 0, b"\x76\x2f\x31\x01"),
    ("FITS", 0, b"SIMPLE  ="),
)
_AVIF = b"avif"
"""Among the brands of a file whose first brand is any HEIF's."""


def detect_format(prefix: bytes) -> str:
    """Return one of `READABLE`.

    Raises MasterRejected: `not-an-image`, or `unsupported-format` with the format's name.
    """
    for name, offset, signature in _SIGNATURES:
        if prefix[offset : offset + len(signature)] == signature:
            if name == "HEIC" and _AVIF in prefix[16:]:
                return "avif"
            if name not in READABLE:
                raise unsupported_format(name)
            return name
    raise not_an_image(prefix)
