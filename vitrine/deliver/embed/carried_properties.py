"""What all carriers in an access master say together: XMP, IPTC-IIM, Photoshop's resources, EXIF.

Where they differ, the first of them counts.
"""

from collections.abc import Mapping

from vitrine.deliver.embed import xmp
from vitrine.deliver.embed.iptc import decode_text, properties_of_iptc, properties_of_photoshop
from vitrine.deliver.embed.xmp_fields import ANY_LANGUAGE, CREATOR, DESCRIPTION, RIGHTS, Items
from vitrine.ingest.inspect.formats.photoshop_resources import split_photoshop
from vitrine.store.tiff.entry import TiffEntry
from vitrine.store.tiff.tags import Tag

CARRIERS: frozenset[int] = frozenset({Tag.XMP, Tag.IPTC, Tag.PHOTOSHOP})
_TEXTS = {Tag.IMAGE_DESCRIPTION: DESCRIPTION, Tag.ARTIST: CREATOR, Tag.COPYRIGHT: RIGHTS}


def gather_properties(entries: Mapping[int, TiffEntry]) -> dict[str, Items]:
    """Return the listed properties of the fields in `CARRIERS`; or an empty mapping."""
    data = {tag: entry.data for tag, entry in entries.items() if tag in CARRIERS}
    photoshop = data.get(Tag.PHOTOSHOP, b"")
    iptc = data.get(Tag.IPTC) or split_photoshop(photoshop)[0]
    return {
        **properties_of_photoshop(photoshop),
        **properties_of_iptc(iptc),
        **xmp.select_properties(data.get(Tag.XMP, b"")),
    }


def properties_of_exif(entries: Mapping[int, TiffEntry]) -> dict[str, Items]:
    """Return description, creator and rights of TIFF's tags, for formats without EXIF."""
    texts = {name: entries[tag].data for tag, name in _TEXTS.items() if tag in entries}
    # Two copyright notices, the photographer's and the editor's, have a NUL between them.
    joined = {name: b"; ".join(filter(None, data.split(b"\0"))) for name, data in texts.items()}
    items = {name: ((ANY_LANGUAGE, decode_text(data)),) for name, data in joined.items()}
    valid = {name: xmp.keep_valid_items(name, item) for name, item in items.items()}
    return {name: item for name, item in valid.items() if item}
