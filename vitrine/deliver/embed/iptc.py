"""Rights in the older carriers, IPTC-IIM and Photoshop's image resources, as properties of XMP.

Scans of the years around 2000 name creator and rights here and nowhere else. Writer's name, address
and contact (2:118, 2:122), special instructions and places are not among the properties. Sources:
IPTC-NAA Information Interchange Model 4.2, 1.3 to 1.6; IPTC Photo Metadata Standard 2023.2, mapping
of IIM to XMP; Adobe Photoshop File Formats Specification (2019), Image Resources Section.
"""

import re
from collections.abc import Iterator

from vitrine.deliver.embed.xmp import keep_valid_items
from vitrine.deliver.embed.xmp_fields import (
    ANY_LANGUAGE,
    CREATOR,
    CREDIT,
    DESCRIPTION,
    MARKED,
    RIGHTS,
    SOURCE,
    SUBJECT,
    TITLE,
    WEB_STATEMENT,
    Items,
)
from vitrine.ingest.inspect.formats.photoshop_resources import list_resources

_MARKER = 0x1C
_ENVELOPE, _APPLICATION = 1, 2
_CHARACTER_SET, _UTF_8 = 90, b"\x1b%G"
_LONG = 0x8000
"""Set in the length of a field of more than 32,767 bytes."""
_PROPERTIES = {
    5: TITLE,
    25: SUBJECT,
    80: CREATOR,
    110: CREDIT,
    115: SOURCE,
    116: RIGHTS,
    120: DESCRIPTION,
}
_REPEATABLE = frozenset({SUBJECT, CREATOR})
_MAX_FIELDS = 2_000
_COPYRIGHT_FLAG, _COPYRIGHT_URL = 0x040A, 0x040B
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def properties_of_iptc(data: bytes) -> dict[str, Items]:
    """Return the listed properties in IPTC-IIM; reading stops where it is damaged."""
    fields = list(list_fields(data))
    utf8 = any(key == (_ENVELOPE, _CHARACTER_SET) and value == _UTF_8 for key, value in fields)
    found: dict[str, Items] = {}
    for (record, number), value in fields:
        name = _PROPERTIES.get(number) if record == _APPLICATION else None
        if name and (name in _REPEATABLE or name not in found):
            text = decode_text(value, "utf-8" if utf8 else None)
            found[name] = (*found.get(name, ()), (ANY_LANGUAGE, text))
    valid = {name: keep_valid_items(name, items) for name, items in found.items()}
    return {name: items for name, items in valid.items() if items}


def properties_of_photoshop(block: bytes) -> dict[str, Items]:
    """Return the copyright flag and the address of the rights in Photoshop's image resources."""
    found: dict[str, Items] = {}
    for number, data in list_resources(block):
        if number == _COPYRIGHT_FLAG and data[:1] == b"\1":
            found[MARKED] = ((ANY_LANGUAGE, "True"),)
        if number == _COPYRIGHT_URL and (url := decode_text(data).strip()):
            found[WEB_STATEMENT] = ((ANY_LANGUAGE, url),)
    return found


def decode_text(value: bytes, encoding: str | None = None) -> str:
    """Decode a text, of a carrier that does not say how too, without what XML cannot hold."""
    for known in (encoding or "utf-8", "cp1252"):
        try:
            text = value.decode(known)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = value.decode("latin-1")
    return _NOT_XML.sub("", text)


def list_fields(data: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield record and number of each field of IPTC-IIM, and its value, up to damage."""
    at = 0
    for _ in range(_MAX_FIELDS):
        if len(data) < at + 5 or data[at] != _MARKER:
            return
        length = int.from_bytes(data[at + 3 : at + 5])
        start = at + 5
        if length & _LONG:
            count = length & ~_LONG
            length = int.from_bytes(data[start : start + count]) if count <= 4 else len(data)
            start += count
        if start + length > len(data):
            return
        yield (data[at + 1], data[at + 2]), data[start : start + length]
        at = start + length
