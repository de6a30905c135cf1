"""The segments that go into every tile: hundreds of bytes, made once per opened pyramid.

The profile takes 498 bytes, creator and copyright about 170, the address of a licence about 370:
3 to 7 % of a usual tile of 15 KB. By default all of them go along, since a saved tile should say
whose it is, as the report asks of delivered images; `tile_metadata` takes them out again.
"""

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from vitrine.deliver.embed import xmp
from vitrine.deliver.embed.exif import presentable, rights_block
from vitrine.deliver.embed.jpeg import exif_segment, icc_segments, xmp_segment
from vitrine.deliver.embed.selection import BOUNDS, read_profile, tell
from vitrine.ingest.convert.metadata.metadata_sources import from_page
from vitrine.store.tiff.entry import Entry, MalformedTiff, text
from vitrine.store.tiff.reading import Directory, ReadRange, TiffReader
from vitrine.store.tiff.tags import Tag
from vitrine.store.tiff.writing import LARGE_VALUE_BYTES

TileMetadata = Literal["none", "profile", "rights"]
TILE_METADATA: tuple[TileMetadata, ...] = get_args(TileMetadata)
"""Nothing; the colour profile; the profile, who made the image and under which rights."""

LONGEST_RIGHTS = 512
"""Bytes of each text and of the XMP on a tile; longer ones are for the other derivatives."""


def tile_segments_reader(setting: str) -> Callable[[ReadRange, int, str], bytes]:
    """`read_tile_segments` for a setting by its name; takes read, size and name.

    Raises ValueError when there is no such setting.
    """
    for known in TILE_METADATA:
        if known == setting:
            chosen = known
            return lambda read, size, name: read_tile_segments(read, size, chosen, name=name)
    raise ValueError(f"tile_metadata is one of {', '.join(TILE_METADATA)}, not {setting!r}")


def read_tile_segments(read: ReadRange, size: int, setting: TileMetadata, *, name: str) -> bytes:
    """APP1 and APP2 segments for after SOI and APP0 of every tile of the pyramid of `size` bytes.

    Reads the head of our own access masters and nothing behind it: XMP above
    `LARGE_VALUE_BYTES`, which lies behind the tiles, is left to the other derivatives. `name` is
    for the log. Raises what `read` raises.
    """
    if setting == "none":
        return b""
    try:
        reader = TiffReader(read, size, BOUNDS)
        page = reader.first_page()
        icc, losses = read_profile(page)
        rights, more = _read_rights(reader, page) if setting == "rights" else (b"", ())
    except MalformedTiff as error:
        tell(name, [str(error)])
        return b""
    tell(name, [*losses, *more])
    return rights + icc_segments(icc, longest=1)


def _read_rights(reader: TiffReader, page: Directory) -> tuple[bytes, tuple[str, ...]]:
    """The segments, and what could not be read."""
    wanted: set[int] = {Tag.ARTIST, Tag.COPYRIGHT}
    if page.length(Tag.XMP) <= LARGE_VALUE_BYTES:
        wanted.add(Tag.XMP)
    found = from_page(reader, page, frozenset(wanted))
    packet = found.entries.get(Tag.XMP)
    properties = xmp.select_properties(packet.data) if packet else {}
    entries = presentable(found).entries
    exif = rights_block(
        _stated(entries, Tag.COPYRIGHT, properties, xmp.RIGHTS),
        _stated(entries, Tag.ARTIST, properties, xmp.CREATOR),
    )
    statement = {
        name: items
        for name, items in properties.items()
        if name in (xmp.WEB_STATEMENT, xmp.LICENSE)
    }
    # EXIF has no field for the address of a licence.
    links = xmp.write_packet(statement, LONGEST_RIGHTS)
    return exif_segment(exif) + xmp_segment(links), found.losses


def _stated(
    entries: Mapping[int, Entry], tag: int, properties: xmp.Properties, name: str
) -> Entry | None:
    """What EXIF says, else XMP."""
    entry = entries.get(tag)
    if entry is None and (said := xmp.plain(properties, name)):
        entry = text(said)
    return entry if entry and len(entry.data) <= LONGEST_RIGHTS else None
