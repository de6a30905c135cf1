"""Outlines in SVG, of which only shapes are kept: no script, no style, no address."""

from lxml import etree

from vitrine.errors import TextRefused
from vitrine.text.annotations.scaled_outlines import SPACE
from vitrine.text.transcription.page_builder import read_number
from vitrine.text.transcription.page_text import CanvasSize

MAX_SVG_CHARACTERS = 20_000
"""Characters."""
MAX_SHAPES = 100
_SHAPES = {
    "svg": set(),
    "g": {"transform"},
    "path": {"d", "transform"},
    "rect": {"x", "y", "width", "height", "rx", "ry", "transform"},
    "circle": {"cx", "cy", "r", "transform"},
    "ellipse": {"cx", "cy", "rx", "ry", "transform"},
    "line": {"x1", "y1", "x2", "y2", "transform"},
    "polygon": {"points", "transform"},
    "polyline": {"points", "transform"},
}
"""Elements that are kept, with the attributes that are."""
_UNSAFE = set("<>&\"'\\;:")
"""None of them is in a number, a list of points or a transformation."""


def read_outline(svg: str, canvas: CanvasSize) -> str:
    """Return an outline as it may be published, in pixels of the canvas. Raises TextRefused."""
    if len(svg) > MAX_SVG_CHARACTERS:
        raise TextRefused("outline", f"its outline has more than {MAX_SVG_CHARACTERS:,} characters")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(svg.encode(), parser)
    except (etree.LxmlError, ValueError):
        raise TextRefused("outline", "its outline is not SVG") from None
    if root.getroottree().docinfo.doctype or _name(root) != "svg":
        raise TextRefused("outline", "its outline is not SVG")
    if sum(1 for _ in root.iter()) > MAX_SHAPES:
        raise TextRefused("outline", f"its outline has more than {MAX_SHAPES} elements")
    box = root.get("viewBox")
    numbers = [read_number(one) for one in box.replace(",", " ").split()] if box else None
    if numbers and numbers != [0, 0, canvas.width, canvas.height]:
        sentence = f"its outline has a viewBox that is not 0 0 {canvas.width} {canvas.height}"
        raise TextRefused("outline", sentence)
    written: str = etree.tostring(_copy(root), encoding="unicode")
    return written


def _copy(element: etree._Element) -> etree._Element:
    name = _name(element)
    copy = etree.Element(f"{{{SPACE}}}{name}", nsmap={None: SPACE})
    for attribute, value in element.attrib.items():
        if str(attribute) in _SHAPES[name] and not _UNSAFE & set(str(value)):
            if "%" in value:
                raise TextRefused("outline", "its outline has percentages, and not pixels")
            copy.set(attribute, value)
    for child in element:
        if _name(child) in _SHAPES:
            copy.append(_copy(child))
    return copy


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
