"""The XMP properties that a delivered image may carry, and their forms.

Title, description, creator, rights, licence, number and source of the object, date. Not
xmpRights:Owner, which names people, nor Iptc4xmpCore:CreatorContactInfo, which holds their
addresses, and of a licensor only name and address on the web. Sources: XMP part 1 (ISO 16684-1),
section 8; IPTC Photo Metadata Standard 2023.2; PLUS 2.0.1; CC Rights Expression Language.
"""

from collections.abc import Mapping
from typing import Literal

Form = Literal["Text", "Alt", "Seq", "Bag", "Records"]
"""`Records`: structures, each of the fields in `RECORDS`."""
Items = tuple[tuple[str, str], ...]
"""Language (x-default if unknown) and text of each item; a plain text is one item, the text of a
record is markup of ours."""
Properties = Mapping[str, Items]

ANY_LANGUAGE = "x-default"
WEB_STATEMENT, RIGHTS, CREATOR = "xmpRights:WebStatement", "dc:rights", "dc:creator"
TITLE, DESCRIPTION, SUBJECT = "dc:title", "dc:description", "dc:subject"
CREDIT, SOURCE, MARKED = "photoshop:Credit", "photoshop:Source", "xmpRights:Marked"
CREATE_DATE, LICENSE, USAGE_TERMS = "xmp:CreateDate", "cc:license", "xmpRights:UsageTerms"
LICENSOR, ARTWORK, IDENTIFIER = "plus:Licensor", "Iptc4xmpExt:ArtworkOrObject", "dc:identifier"
ATTRIBUTION, SOURCE_TYPE = "cc:attributionName", "Iptc4xmpExt:DigitalSourceType"
DATA_MINING, LICENSOR_URL = "plus:DataMining", "plus:LicensorURL"

FORMS: dict[str, Form] = {
    TITLE: "Alt",
    DESCRIPTION: "Alt",
    CREATOR: "Seq",
    RIGHTS: "Alt",
    IDENTIFIER: "Text",
    "dc:source": "Text",
    SUBJECT: "Bag",
    MARKED: "Text",
    WEB_STATEMENT: "Text",
    USAGE_TERMS: "Alt",
    "xmpRights:Certificate": "Text",
    CREDIT: "Text",
    SOURCE: "Text",
    CREATE_DATE: "Text",
    LICENSE: "Text",
    ATTRIBUTION: "Text",
    "cc:attributionURL": "Text",
    SOURCE_TYPE: "Text",
    DATA_MINING: "Text",
    LICENSOR: "Records",
    ARTWORK: "Records",
}
RECORDS: dict[str, dict[str, Form]] = {
    LICENSOR: {"plus:LicensorName": "Text", LICENSOR_URL: "Text"},
    ARTWORK: {
        "Iptc4xmpExt:AOTitle": "Alt",
        "Iptc4xmpExt:AOCreator": "Seq",
        "Iptc4xmpExt:AOCopyrightNotice": "Text",
        "Iptc4xmpExt:AOSource": "Text",
        "Iptc4xmpExt:AOSourceInvNo": "Text",
        "Iptc4xmpExt:AOSourceInvURL": "Text",
    },
}
ALIASES = {"tiff:Artist": CREATOR, "tiff:Copyright": RIGHTS, "tiff:ImageDescription": DESCRIPTION}
"""EXIF's texts as XMP repeats them: they count where Dublin Core is silent. Source: CIPA DC-010."""

NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
    "photoshop": "http://ns.adobe.com/photoshop/1.0/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "cc": "http://creativecommons.org/ns#",
    "plus": "http://ns.useplus.org/ldf/xmp/1.0/",
    "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
    "tiff": "http://ns.adobe.com/tiff/1.0/",
}
_ALL_NAMES = (*FORMS, *ALIASES, *(field for fields in RECORDS.values() for field in fields))
NAMES = {
    f"{{{NAMESPACES[prefix]}}}{name}": f"{prefix}:{name}"
    for prefix, _, name in (full.partition(":") for full in _ALL_NAMES)
}
"""Name with its prefix, by name with its namespace as ElementTree writes it."""
