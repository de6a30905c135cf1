"""XMP: the few properties that a delivered image may carry, taken from an untrusted packet.

Places, serial numbers, owners, edit histories and thumbnails hide in XMP. So properties that are
not listed here are left out, and so are listed ones of an unknown form. Sources: XMP part 1
(ISO 16684-1), section 7; IPTC Photo Metadata Standard 2023.2, rights.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

LONGEST_PACKET = 65_502
"""Bytes of XMP that fit into one APP1 segment after its name."""

Form = Literal["Text", "Alt", "Seq"]
Items = tuple[tuple[str, str], ...]
"""Language (x-default if unknown) and text of each item; a plain text is one item."""
Properties = Mapping[str, Items]

WEB_STATEMENT, RIGHTS, CREATOR = "xmpRights:WebStatement", "dc:rights", "dc:creator"
CREATE_DATE, LICENSE = "xmp:CreateDate", "cc:license"
FORMS: dict[str, Form] = {
    "dc:title": "Alt",
    "dc:description": "Alt",
    CREATOR: "Seq",
    RIGHTS: "Alt",
    "xmpRights:Marked": "Text",
    WEB_STATEMENT: "Text",
    "xmpRights:UsageTerms": "Alt",
    "xmpRights:Certificate": "Text",
    "photoshop:Credit": "Text",
    CREATE_DATE: "Text",
    LICENSE: "Text",
}
"""Title, description, creator, rights, date. Not xmpRights:Owner, which names people, and not
Iptc4xmpCore:CreatorContactInfo, which holds their addresses."""

_NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
    "photoshop": "http://ns.adobe.com/photoshop/1.0/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
    "cc": "http://creativecommons.org/ns#",
}
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_NAMES = {
    f"{{{_NAMESPACES[prefix]}}}{name}": f"{prefix}:{name}"
    for prefix, _, name in (full.partition(":") for full in FORMS)
}
_CONTAINERS = {f"{_RDF}{kind}" for kind in ("Alt", "Seq", "Bag")}
_ANY_LANGUAGE = "x-default"
_LANGUAGE_TAG = re.compile(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?")
_DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")
_HEAD = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""'
)
_TAIL = "</rdf:Description></rdf:RDF></x:xmpmeta>"


def select_properties(packet: bytes) -> dict[str, Items]:
    """Return the listed properties of a packet; empty if it is not plain UTF-8 XML.

    Nothing is expanded or fetched: a packet with any declaration is rejected as a whole. Takes
    memory and time in proportion to the packet, whose length the caller bounds.
    """
    try:
        text = packet.decode("utf-8-sig").strip("\0 \t\r\n")
        if _DECLARATION.search(text):
            return {}
        root = ElementTree.fromstring(text)
    except (UnicodeDecodeError, ElementTree.ParseError):
        return {}
    properties: dict[str, Items] = {}
    for name, items in _list_properties(root):
        valid = _keep_valid_items(name, items)
        if valid:
            properties.setdefault(name, valid)
    return properties


def write_packet(properties: Properties, longest: int = LONGEST_PACKET) -> bytes:
    """Return a packet of exactly these properties, b"" without any.

    The longest properties are left out until the packet has at most `longest` bytes.
    """
    left = {name: properties[name] for name in FORMS if name in properties}
    while left:
        packet = _packet(left)
        if len(packet) <= longest:
            return packet
        del left[max(left, key=lambda name: sum(len(text) for _, text in left[name]))]
    return b""


def plain_text(properties: Properties, name: str) -> str:
    """Return one text: all items of a list, else the one for any language; "" if it is absent."""
    items = properties.get(name, ())
    if FORMS[name] == "Seq":
        return "; ".join(text for _, text in items)
    return next((text for language, text in items if language == _ANY_LANGUAGE), "") or next(
        (text for _, text in items), ""
    )


def _list_properties(root: Element) -> Iterator[tuple[str, Items]]:
    rdf = root if root.tag == f"{_RDF}RDF" else root.find(f"{_RDF}RDF")
    for description in rdf if rdf is not None else ():
        if description.tag != f"{_RDF}Description":
            continue
        for attribute, text in description.items():
            if attribute in _NAMES:
                yield _NAMES[attribute], ((_ANY_LANGUAGE, text),)
        for child in description:
            if child.tag in _NAMES:
                yield _NAMES[child.tag], _read_items(child)


def _read_items(element: Element) -> Items:
    """Return the items; empty if it is neither a text, a resource nor a container of texts."""
    if len(element) == 0:
        text = element.get(f"{_RDF}resource") or element.text or ""
        return ((_ANY_LANGUAGE, text),)
    container = element[0]
    if len(element) > 1 or container.tag not in _CONTAINERS:
        return ()
    if any(item.tag != f"{_RDF}li" or len(item) for item in container):
        return ()
    return tuple((item.get(_LANGUAGE, _ANY_LANGUAGE), item.text or "") for item in container)


def _keep_valid_items(name: str, items: Items) -> Items:
    """Drop items that are empty or repeated; return none if the property has another form."""
    kept = [(language, text.strip()) for language, text in items if text.strip()]
    if FORMS[name] == "Alt":
        kept = list(dict(reversed(kept)).items())[::-1]
    if not all(_LANGUAGE_TAG.fullmatch(language) for language, _ in kept):
        return ()
    if FORMS[name] == "Text" and len(kept) > 1:
        return ()
    if name == CREATE_DATE and kept and not _DATE.fullmatch(kept[0][1]):
        return ()
    return tuple(kept)


def _packet(properties: Properties) -> bytes:
    prefixes = dict.fromkeys(name.partition(":")[0] for name in properties)
    spaces = "".join(f' xmlns:{prefix}="{_NAMESPACES[prefix]}"' for prefix in prefixes)
    body = "".join(_element(name, items) for name, items in properties.items())
    return f"{_HEAD}{spaces}>{body}{_TAIL}".encode()


def _element(name: str, items: Items) -> str:
    form = FORMS[name]
    if form == "Text":
        return f"<{name}>{_escaped(items[0][1])}</{name}>"
    listed = "".join(
        f"<rdf:li{_language(language) if form == 'Alt' else ''}>{_escaped(text)}</rdf:li>"
        for language, text in items
    )
    return f"<{name}><rdf:{form}>{listed}</rdf:{form}></{name}>"


def _language(language: str) -> str:
    return f" xml:lang={quoteattr(language)}"


def _escaped(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
