"""The documents of a canvas: its text, and its other annotations, as they are stored and shown."""

from collections.abc import Callable, Mapping

from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.remark_documents import build_remark_list, build_remark_page
from vitrine.iiif.presentation.remarks import Remark
from vitrine.iiif.presentation.text_annotations import (
    TextLine,
    build_annotation_list,
    build_annotation_page,
)
from vitrine.iiif.presentation.version3 import Json
from vitrine.ports import ObjectStore
from vitrine.store.layout import remarks_key, text_key
from vitrine.text.annotations.stored_annotations import decode_remarks
from vitrine.text.transcription.page_text import CanvasSize, Line, PageText
from vitrine.text.transcription.stored_text import decode_text

Versions = dict[int, Json]
"""A document by the version of the Presentation API."""


def load_text(records: ObjectStore, name: str, canvas: CanvasSize) -> PageText:
    """Return a stored text for a canvas; one without words if it is not there."""
    body = _get(records, text_key, name)
    return decode_text(body, canvas) if body else PageText(())


def load_remarks(records: ObjectStore, name: str, canvas: CanvasSize) -> dict[str, Remark]:
    """Return stored annotations for a canvas, by their names; nothing if they are not there."""
    body = _get(records, remarks_key, name)
    return decode_remarks(body, canvas) if body else {}


def build_text_documents(identifier: str, number: int, text: PageText, base: str) -> Versions:
    """Return the text of a canvas, counted from 1, as annotations."""
    lines = [_describe(line) for line in text.lines]
    return {
        2: build_annotation_list(identifier, number, lines, base),
        3: build_annotation_page(identifier, number, lines, base),
    }


def build_remark_documents(
    identifier: str, number: int, remarks: Mapping[str, Remark], base: str
) -> Versions:
    """Return the other annotations of a canvas, counted from 1, by their names."""
    return {
        2: build_remark_list(identifier, number, remarks, base),
        3: build_remark_page(identifier, number, remarks, base),
    }


def _get(records: ObjectStore, key: Callable[[str], str], name: str) -> bytes:
    if not name:
        return b""
    try:
        return records.get(key(name))[0]
    except ObjectMissing:
        # A record from elsewhere names what is not here.
        return b""


def _describe(line: Line) -> TextLine:
    """Return a line with the rectangle around its words; of a hyphenated one, around its start."""
    text = " ".join(word.text for word in line.words)
    boxes = [word.boxes[0] for word in line.words if word.boxes]
    if not boxes:
        return TextLine(text, None, line.language)
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return TextLine(text, (left, top, right - left, bottom - top), line.language)
