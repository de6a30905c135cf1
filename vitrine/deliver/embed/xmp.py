"""XMP: the properties that a delivered image may carry, taken from an untrusted packet.

Places, serial numbers, owners, edit histories and thumbnails hide in XMP. So properties that
`xmp_fields` does not list are left out, and so are listed ones of an unknown form. Source: XMP
part 1 (ISO 16684-1), section 7.

Not read with defusedxml: its parser is written in Python and takes 2.3 times the CPU, and without
declarations there is nothing that it would stop.
"""

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from vitrine.deliver.embed.xmp_fields import (
    ALIASES,
    ANY_LANGUAGE,
    CREATE_DATE,
    FORMS,
    LICENSOR,
    NAMES,
    NAMESPACES,
    RECORDS,
    Form,
    Items,
    Properties,
)

MAX_PACKET_LENGTH = 65_502
"""Bytes of XMP that fit into one APP1 segment after its name."""

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CONTAINERS = {f"{_RDF}{kind}" for kind in ("Alt", "Seq", "Bag")}
_MAX_RECORDS = 20
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
    aliased: dict[str, Items] = {}
    for name, items in _list_properties(root):
        known = ALIASES.get(name, name)
        if valid := keep_valid_items(known, items):
            (aliased if name in ALIASES else properties).setdefault(known, valid)
    return {**aliased, **properties}


def write_packet(properties: Properties, longest: int = MAX_PACKET_LENGTH) -> bytes:
    """Return a packet of exactly these properties, b"" without any.

    The longest properties are left out until the packet has at most `longest` bytes.
    """
    left = {name: properties[name] for name in FORMS if name in properties}
    while left:
        packet = _write_packet(left)
        if len(packet) <= longest:
            return packet
        del left[max(left, key=lambda name: sum(len(text) for _, text in left[name]))]
    return b""


def plain_text(properties: Properties, name: str) -> str:
    """Return one text: all items of a list, else the one for any language; "" if it is absent."""
    items = properties.get(name, ())
    if FORMS[name] in ("Seq", "Bag"):
        return "; ".join(text for _, text in items)
    return next((text for language, text in items if language == ANY_LANGUAGE), "") or next(
        (text for _, text in items), ""
    )


def list_fitting(properties: Properties, names: Iterable[str], longest: int) -> Properties:
    """Return those of `names` that fit a packet of `longest` bytes, the first ones first."""
    fitting: dict[str, Items] = {}
    for name in names:
        if (
            name in properties
            and len(_write_packet({**fitting, name: properties[name]})) <= longest
        ):
            fitting[name] = properties[name]
    return fitting


def keep_valid_items(name: str, items: Items) -> Items:
    """Drop items that are empty or repeated; return none if the property has another form."""
    return _keep_valid(FORMS[name], name, items)


def _list_properties(root: Element) -> Iterator[tuple[str, Items]]:
    rdf = root if root.tag == f"{_RDF}RDF" else root.find(f"{_RDF}RDF")
    for description in rdf if rdf is not None else ():
        if description.tag == f"{_RDF}Description":
            for name, value in _list_fields(description):
                form = FORMS.get(ALIASES.get(name, name))
                if isinstance(value, str):
                    yield name, ((ANY_LANGUAGE, value),) if form != "Records" and form else ()
                elif form:
                    yield (
                        name,
                        _read_records(name, value) if form == "Records" else _read_items(value),
                    )


def _list_fields(element: Element) -> Iterator[tuple[str, str | Element]]:
    """Yield the listed properties of a structure: attributes as texts, others as elements."""
    for attribute, text in element.items():
        if attribute in NAMES:
            yield NAMES[attribute], text
    for child in element:
        if child.tag in NAMES:
            yield NAMES[child.tag], child


def _read_items(element: Element) -> Items:
    """Return the items; empty if it is neither a text, a resource nor a container of texts."""
    if len(element) == 0:
        text = element.get(f"{_RDF}resource") or element.text or ""
        return ((ANY_LANGUAGE, text),)
    container = element[0]
    if len(element) > 1 or container.tag not in _CONTAINERS:
        return ()
    if any(item.tag != f"{_RDF}li" or len(item) for item in container):
        return ()
    return tuple(
        (item.get(_LANGUAGE, ANY_LANGUAGE), item.get(f"{_RDF}resource") or item.text or "")
        for item in container
    )


def _read_records(name: str, element: Element) -> Items:
    """Return the listed fields of each structure as markup, of one alone or of a container."""
    container = element[0] if len(element) == 1 and element[0].tag in _CONTAINERS else [element]
    records = (_read_record(RECORDS[name], record) for record in list(container)[:_MAX_RECORDS])
    return tuple((ANY_LANGUAGE, record) for record in records if record)


def _read_record(forms: dict[str, Form], record: Element) -> str:
    found: dict[str, Items] = {}
    for structure in (record, *record.findall(f"{_RDF}Description")):
        for name, value in _list_fields(structure):
            if name in forms:
                items = ((ANY_LANGUAGE, value),) if isinstance(value, str) else _read_items(value)
                if valid := _keep_valid(forms[name], name, items):
                    found.setdefault(name, valid)
    return "".join(
        _write_element(forms[name], name, found[name]) for name in forms if name in found
    )


def _keep_valid(form: Form, name: str, items: Items) -> Items:
    kept = [(language, text.strip()) for language, text in items if text.strip()]
    if form == "Alt":
        kept = list(dict(reversed(kept)).items())[::-1]
    if not all(_LANGUAGE_TAG.fullmatch(language) for language, _ in kept):
        return ()
    if form == "Text" and len(kept) > 1:
        return ()
    if name == CREATE_DATE and kept and not _DATE.fullmatch(kept[0][1]):
        return ()
    return tuple(kept)


def _write_packet(properties: Properties) -> bytes:
    prefixes = dict.fromkeys(name.partition(":")[0] for name in properties)
    spaces = "".join(f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in prefixes)
    body = "".join(_write_element(FORMS[name], name, items) for name, items in properties.items())
    return f"{_HEAD}{spaces}>{body}{_TAIL}".encode()


def _write_element(form: Form, name: str, items: Items) -> str:
    if form == "Text":
        return f"<{name}>{_escape_text(items[0][1])}</{name}>"
    if form == "Records":
        records = "".join(f'<rdf:li rdf:parseType="Resource">{text}</rdf:li>' for _, text in items)
        container = "Seq" if name == LICENSOR else "Bag"
        return f"<{name}><rdf:{container}>{records}</rdf:{container}></{name}>"
    listed = "".join(
        f"<rdf:li{_language_attribute(language) if form == 'Alt' else ''}>"
        f"{_escape_text(text)}</rdf:li>"
        for language, text in items
    )
    return f"<{name}><rdf:{form}>{listed}</rdf:{form}></{name}>"


def _language_attribute(language: str) -> str:
    return f" xml:lang={quoteattr(language)}"


def _escape_text(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
