"""The metadata segments of every tile: hundreds of bytes, made once per opened pyramid.

The profile takes 498 bytes, creator and copyright about 170, the address of a licence about 370,
each further right (credit, licensor, number of the object) about 100: 3 to 11 % of a usual tile of
15 KB. By default all of them are included, since a saved tile should
say whose it is, as the report requires of delivered images; `tile_metadata` can leave them out.
"""

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from vitrine.deliver.embed import xmp
from vitrine.deliver.embed.carried_properties import CARRIERS, gather_properties
from vitrine.deliver.embed.exif import keep_valid_fields, rights_block
from vitrine.deliver.embed.jpeg import exif_segment, icc_segments, xmp_segment
from vitrine.deliver.embed.selection import BOUNDS, log_losses, read_profile
from vitrine.deliver.embed.xmp_fields import (
    ARTWORK,
    ATTRIBUTION,
    CREATOR,
    CREDIT,
    DATA_MINING,
    IDENTIFIER,
    LICENSE,
    LICENSOR,
    RIGHTS,
    SOURCE,
    SOURCE_TYPE,
    USAGE_TERMS,
    WEB_STATEMENT,
    Properties,
)
from vitrine.ingest.convert.metadata.metadata_sources import from_page
from vitrine.store.tiff.entry import MalformedTiff, TiffEntry, text
from vitrine.store.tiff.reading import Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag
from vitrine.store.tiff.writing import LARGE_VALUE_BYTES

TileMetadata = Literal["none", "profile", "rights"]
TILE_METADATA: tuple[TileMetadata, ...] = get_args(TileMetadata)
"""Nothing; the colour profile; the profile, the creator and the rights."""

MAX_RIGHTS_LENGTH = 512
"""Bytes of each text in a tile; longer ones are in the other derivatives only."""
MAX_PACKET_LENGTH = 1_024
"""Bytes of the XMP in a tile."""
IN_TILES = (
    *(WEB_STATEMENT, LICENSE, LICENSOR, CREDIT, IDENTIFIER, ATTRIBUTION),
    *(SOURCE, SOURCE_TYPE, DATA_MINING, USAGE_TERMS, ARTWORK),
)
"""Rights that EXIF has no field for, in the order in which they get the room of a tile's XMP."""


def tile_segments_reader(setting: str) -> Callable[[ReadRange, int, str], bytes]:
    """Return `read_tile_segments` for a setting, as a function of read, size and name.

    Raises ValueError if there is no such setting.
    """
    for known in TILE_METADATA:
        if known == setting:
            chosen = known
            return lambda read, size, name: read_tile_segments(read, size, chosen, name=name)
    raise ValueError(f"tile_metadata is one of {', '.join(TILE_METADATA)}, not {setting!r}")


def read_tile_segments(read: ReadRange, size: int, setting: TileMetadata, *, name: str) -> bytes:
    """Return the APP1 and APP2 segments that follow SOI and APP0 in every tile of a pyramid.

    `size` is the pyramid's in bytes. Of our own access masters only the head is read: XMP or IPTC
    above `LARGE_VALUE_BYTES`, which is stored after the tiles, is in the other derivatives only.
    `name` is for the log. Raises what `read` raises.
    """
    if setting == "none":
        return b""
    try:
        reader = TiffReader(read, size, BOUNDS)
        page = reader.first_page()
        icc, losses = read_profile(page)
        rights, more = _read_rights(reader, page) if setting == "rights" else (b"", ())
    except MalformedTiff as error:
        log_losses(name, [str(error)])
        return b""
    log_losses(name, [*losses, *more])
    return rights + icc_segments(icc, longest=1)


def _read_rights(reader: TiffReader, page: Directory) -> tuple[bytes, tuple[str, ...]]:
    """Return the segments, and sentences about what could not be read."""
    small = {tag for tag in CARRIERS if page.length(tag) <= LARGE_VALUE_BYTES}
    carried = from_page(reader, page, frozenset({Tag.ARTIST, Tag.COPYRIGHT, *small}))
    properties = gather_properties(carried.entries)
    entries = keep_valid_fields(carried).entries
    exif = rights_block(
        _find_text(entries, Tag.COPYRIGHT, properties, RIGHTS),
        _find_text(entries, Tag.ARTIST, properties, CREATOR),
    )
    packet = xmp.write_packet(xmp.list_fitting(properties, IN_TILES, MAX_PACKET_LENGTH))
    return exif_segment(exif) + xmp_segment(packet), carried.losses


def _find_text(
    entries: Mapping[int, TiffEntry], tag: int, properties: Properties, name: str
) -> TiffEntry | None:
    """Return the text of EXIF, else that of XMP, unless it is too long."""
    entry = entries.get(tag)
    if entry is None and (value := xmp.plain_text(properties, name)):
        entry = text(value)
    return entry if entry and len(entry.data) <= MAX_RIGHTS_LENGTH else None
