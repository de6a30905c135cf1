"""Records in XML, such as LIDO, EAD, MODS, METS and answers of OAI-PMH, asked by XPath.

Namespaces are left out: `titleSet/appellationValue` finds the element with or without prefix, and
`@lang` the attribute `xml:lang`. A record is a document of its own: `//title` finds its own titles.
Nothing outside the file is read, and no entity is resolved.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from lxml import etree

from vitrine.sources.mapping.mapping_file import MappingUnusable
from vitrine.sources.mapping.rows import check_size
from vitrine.sources.mapping.template import Row

MAX_BYTES = 128 << 20
"""Bytes of a file, which takes some five times as much memory."""
RECORDS = {
    "OAI-PMH": "//record[not(header/@status = 'deleted')]",
    "lidoWrap": "lido",
    "modsCollection": "mods",
    "collection": "record",
}
"""Paths of the records in documents with this element at the top (OAI-PMH, LIDO, MODS, MARC)."""
_ALL_TEXT = etree.XPath("string()")


class Paths:
    """XPath expressions."""

    def __init__(self, expressions: set[str]) -> None:
        """Raises MappingUnusable."""
        self._compiled = {text: _compile(text) for text in expressions}

    def read(self, document: Any) -> Row:
        """Return what each finds in a record: the texts of elements, values of attributes."""
        return {text: _texts(_find(path, text, document)) for text, path in self._compiled.items()}


def new_parser(*, recover: bool = False) -> Any:
    """Return a parser that resolves no entity, asks for nothing, and keeps no comment."""
    return etree.XMLParser(
        recover=recover,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )


def read(path: Path, inner: str = "") -> list[Any]:
    """Return the records of a file: what the XPath `inner` finds, or those of RECORDS, or its root.

    Of one that cannot be used, the sentence that says why. Raises MappingUnusable, OSError.
    """
    check_size(path, MAX_BYTES)
    try:
        root = _parse(path)
    except etree.XMLSyntaxError as error:
        raise MappingUnusable(f"{path} is not XML: {error}") from None
    _leave_namespaces_out(root)
    expression = inner or RECORDS.get(root.tag, "")
    if not expression:
        return [_record(root)]
    found = _find(_compile(expression), expression, root)
    if not isinstance(found, list) or not found:
        raise MappingUnusable(f"{path} has no record at {expression}")
    return [_record(one) for one in found]


def simple_paths(document: Any) -> Iterator[str]:
    """Yield the path of each element with text and without elements, wherever it is."""
    for element in document.iter(etree.Element):
        if not len(element) and element.text and element.text.strip():
            yield f"//{element.tag}"


def _parse(path: Path) -> Any:
    """Return the root of a document, also of one whose prefixes are not declared."""
    parser = new_parser()
    try:
        return etree.parse(str(path), parser).getroot()
    except etree.XMLSyntaxError:
        if any(one.domain != etree.ErrorDomains.NAMESPACE for one in parser.error_log):
            raise
        return etree.parse(str(path), new_parser(recover=True)).getroot()


def _record(found: Any) -> Any:
    """Return an element as a document of its own, or the sentence why it is no record."""
    if not isinstance(found, etree._Element):
        return "is no element, so it is no record"
    entity = next(iter(found.iter(etree.Entity)), None)
    if entity is not None:
        return f"has {entity.text}, which stands for a text elsewhere: write the text in its place"
    return etree.ElementTree(deepcopy(found))


def _leave_namespaces_out(root: Any) -> None:
    for element in root.iter(etree.Element):
        element.tag = _local(element.tag)
        for name, value in element.attrib.items():
            if _local(name) != name:
                del element.attrib[name]
                element.set(_local(name), value)


def _local(name: str) -> str:
    """Return a name without its namespace, or without a prefix that was not declared."""
    return name.rpartition("}")[2].rpartition(":")[2]


def _compile(text: str) -> Any:
    try:
        return etree.XPath(text)
    except etree.XPathSyntaxError as error:
        raise MappingUnusable(f"{text!r} is no XPath expression: {error}") from None


def _find(path: Any, text: str, document: Any) -> Any:
    """Return what a path finds. Raises MappingUnusable for what cannot be calculated."""
    try:
        return path(document)
    except etree.XPathError as error:
        advice = "; leave prefixes out" if "prefix" in str(error) else ""
        raise MappingUnusable(f"{text!r} cannot be used: {error}{advice}") from None


def _texts(found: Any) -> Sequence[str]:
    match found:
        case bool():
            return ["yes" if found else "no"]
        case float():
            return [f"{found:g}"]
        case str():
            return [found] if found else []
        case _:
            return [text for one in found if (text := _text(one))]


def _text(found: Any) -> str:
    if isinstance(found, etree._Element):
        # Lines of a file are no lines of its text.
        return " ".join(str(_ALL_TEXT(found)).split())
    return str(found)
