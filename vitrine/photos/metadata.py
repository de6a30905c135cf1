"""What a photograph says about itself, as structured fields: EXIF, XMP and IPTC."""

from dataclasses import dataclass
from typing import Any

import pyvips

from vitrine.deliver.embed.iptc import decode_text, list_fields
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.metadata.metadata_sources import from_blocks, from_image, with_texts
from vitrine.ingest.inspect.formats.jpeg_format import jpeg_metadata_bytes
from vitrine.ingest.inspect.formats.png_metadata import read_png_metadata
from vitrine.ingest.inspect.master_bytes import BoundedBytes
from vitrine.ingest.inspect.vips import load
from vitrine.photos.exif_fields import MAX_CHARACTERS, exif_fields
from vitrine.photos.photo_bytes import PhotoBytes
from vitrine.photos.xmp_fields import xmp_fields
from vitrine.store.tiff.tags import Tag

MAX_BYTES = 1 << 20
"""Bytes of a photograph's metadata; cameras write some 30 KiB, a depth map more than this."""
_APPLICATION, _ENVELOPE, _CHARACTER_SET, _UTF_8 = 2, 1, 90, b"\x1b%G"
_IPTC = {
    5: "ObjectName",
    10: "Urgency",
    15: "Category",
    20: "SupplementalCategories",
    25: "Keywords",
    40: "SpecialInstructions",
    55: "DateCreated",
    60: "TimeCreated",
    80: "By-line",
    85: "By-lineTitle",
    90: "City",
    92: "Sub-location",
    95: "Province-State",
    100: "Country-PrimaryLocationCode",
    101: "Country-PrimaryLocationName",
    103: "OriginalTransmissionReference",
    105: "Headline",
    110: "Credit",
    115: "Source",
    116: "CopyrightNotice",
    118: "Contact",
    120: "Caption-Abstract",
    122: "Writer-Editor",
}
"""Names of the fields of record 2. Source: IPTC-NAA IIM 4.2, chapter 6."""
_REPEATABLE = frozenset({20, 25, 80, 85, 118, 122})


@dataclass(frozen=True, kw_only=True)
class MetadataFields:
    """The fields of each carrier by their names there."""

    exif: dict[str, Any]
    xmp: dict[str, Any]
    iptc: dict[str, Any]


class TooMuchMetadata(Exception):
    """The metadata have more than `MAX_BYTES`; `args[0]` is their number."""


def read_fields(file: PhotoBytes, file_format: str, *, gps: bool) -> MetadataFields:
    """Return the fields; where the photograph was taken only with `gps`.

    What is damaged is left out. Raises TooMuchMetadata, MasterRejected.
    """
    if file_format == "jpeg":
        _check_size(jpeg_metadata_bytes(BoundedBytes(file)))
    metadata = _read(file, file_format)
    blocks = {
        tag: metadata.entries[tag].data for tag in (Tag.XMP, Tag.IPTC) if tag in metadata.entries
    }
    _check_size(sum(map(len, blocks.values())))
    return MetadataFields(
        exif=exif_fields(metadata, gps=gps),
        xmp=xmp_fields(blocks.get(Tag.XMP, b""), gps=gps),
        iptc=_iptc_fields(blocks.get(Tag.IPTC, b"")),
    )


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise TooMuchMetadata(size)


def _read(file: PhotoBytes, file_format: str) -> Metadata:
    if file_format == "png":
        png = read_png_metadata(BoundedBytes(file))
        _check_size(sum(map(len, png.blocks.values())))
        return with_texts(from_blocks(**png.blocks), png.texts)
    source = pyvips.Source.new_from_memory(file.data)
    return from_image(load(source, file_format))


def _iptc_fields(data: bytes) -> dict[str, Any]:
    fields = list(list_fields(data))
    utf8 = ((_ENVELOPE, _CHARACTER_SET), _UTF_8) in fields
    found: dict[str, Any] = {}
    for (record, number), value in fields:
        name = _IPTC.get(number) if record == _APPLICATION else None
        text = decode_text(value[: 4 * MAX_CHARACTERS], "utf-8" if utf8 else None)
        text = text.strip()[:MAX_CHARACTERS]
        if not (name and text):
            continue
        if number in _REPEATABLE:
            found.setdefault(name, []).append(text)
        else:
            found.setdefault(name, text)
    return found
