"""Files that are a photograph and something else: what opens as an archive or a document too.

A phone's motion photo, an MP4 behind the end of the JPEG, is a photograph and passes.
"""

from vitrine.photos.photo_bytes import PhotoData

_ZIP_END = b"PK\x05\x06"
_ZIP_END_BYTES = 22
_ZIP_COMMENT_BYTES = 65_535
_ZIP_ENTRY = b"PK\x01\x02"
_PDF = b"%PDF-"
_PDF_WITHIN = 1_024
"""Readers of PDF look for its header in as many bytes. Source: Adobe's implementation note 13."""


def find_second_format(data: PhotoData) -> str:
    """Return the name of the second format in a file; "" if it has only one."""
    if _PDF in data[: _PDF_WITHIN + len(_PDF)]:
        return "PDF"
    return "ZIP" if _ends_as_zip(data) else ""


def _ends_as_zip(data: PhotoData) -> bool:
    """Return True if an end record stands where readers look, and its directory before it.

    The four bytes alone also come in pixels. Source: PKWARE APPNOTE 6.3.10, 4.3.16.
    """
    place = data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_BYTES - _ZIP_COMMENT_BYTES))
    while place >= 0:
        record = data[place : place + _ZIP_END_BYTES]
        size = int.from_bytes(record[12:16], "little")
        comment = int.from_bytes(record[20:22], "little")
        directory = place - size
        if size and directory >= 0 and data[directory : directory + 4] == _ZIP_ENTRY:
            return True
        if len(record) == _ZIP_END_BYTES and place + _ZIP_END_BYTES + comment == len(data):
            return True
        place = data.rfind(_ZIP_END, 0, place) if place > len(data) - _ZIP_COMMENT_BYTES else -1
    return False
