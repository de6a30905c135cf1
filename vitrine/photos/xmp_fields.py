"""XMP as fields with names: texts, lists, texts by language, and structures of them.

Nothing is expanded or fetched: a packet with any declaration is left out as a whole. Source: XMP
Specification Part 1 (ISO 16684-1), 7.
"""

import io
import re
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from vitrine.photos.exif_fields import MAX_CHARACTERS

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")
_MAX_FIELDS = 500
_MAX_DEPTH = 4
_PLACE = re.compile(r"gps|latitude|longt?itude|(geo)?(lat|lon|lng|long|lat_long)$", re.IGNORECASE)
"""Beginnings of the names, without prefix, of fields that say where a photograph was taken: EXIF's,
in any structure such as IPTC's LocationCreated, those of drones, and W3C's of geography."""


def xmp_fields(packet: bytes, *, gps: bool) -> dict[str, Any]:
    """Return the properties by name with prefix (`dc:title`); coordinates only with `gps`.

    Empty for what is not plain UTF-8 XML.
    """
    try:
        text = packet.decode("utf-8-sig").strip("\0 \t\r\n")
        if _DECLARATION.search(text):
            return {}
        root, prefixes = _parse(text)
    except (UnicodeDecodeError, ElementTree.ParseError):
        return {}
    reader = _XmpReader(prefixes, gps=gps)
    rdf = root if root.tag == f"{_RDF}RDF" else root.find(f"{_RDF}RDF")
    found: dict[str, Any] = {}
    for description in rdf if rdf is not None else ():
        found |= reader.fields(description, 0)
    return found


def _parse(text: str) -> tuple[Element, dict[str, str]]:
    """Return the root, and the prefix of each namespace."""
    prefixes: dict[str, str] = {}
    root: Element | None = None
    for event, item in ElementTree.iterparse(io.StringIO(text), ("start-ns", "start")):
        if event == "start-ns":
            prefix, namespace = item
            prefixes.setdefault(namespace, prefix)
        elif root is None:
            root = item
    if root is None:
        raise ElementTree.ParseError
    return root, prefixes


class _XmpReader:
    """Reads structures, up to a number of fields in all."""

    def __init__(self, prefixes: dict[str, str], *, gps: bool) -> None:
        self._prefixes = prefixes
        self._gps = gps
        self._left = _MAX_FIELDS

    def fields(self, structure: Element, depth: int) -> dict[str, Any]:
        """Return the fields of a structure: its attributes and its elements."""
        found: dict[str, Any] = {}
        children = [(child.tag, child) for child in structure]
        items: list[tuple[str, str | Element]] = [*structure.items(), *children]
        for tag, value in items:
            if tag.startswith((_RDF, _XML)) or not self._left:
                continue
            self._left -= 1
            if not self._gps and _PLACE.match(tag.rpartition("}")[2]):
                continue
            content = _bounded(value) if isinstance(value, str) else self._value(value, depth)
            if content not in ("", [], {}):
                found[self._name(tag)] = content
        return found

    def _name(self, tag: str) -> str:
        namespace, _, name = tag.removeprefix("{").partition("}")
        prefix = self._prefixes.get(namespace, "")
        return f"{prefix}:{name}" if prefix else name or namespace

    def _value(self, element: Element, depth: int) -> Any:
        if depth >= _MAX_DEPTH:
            return ""
        resource = element.get(f"{_RDF}resource")
        if len(element) == 0:
            attributes = self.fields(element, depth + 1)
            return _bounded(resource or element.text or "") or attributes
        kind = element[0].tag.removeprefix(_RDF)
        if kind == "Alt":
            return {
                _bounded(item.get(f"{_XML}lang", "x-default")): self._value(item, depth + 1)
                for item in list(element[0])[:_MAX_FIELDS]
            }
        if kind in ("Seq", "Bag"):
            return [self._value(item, depth + 1) for item in list(element[0])[:_MAX_FIELDS]]
        inner = element[0] if kind == "Description" else element
        return self.fields(inner, depth + 1)


def _bounded(text: str) -> str:
    return text.strip()[:MAX_CHARACTERS]
