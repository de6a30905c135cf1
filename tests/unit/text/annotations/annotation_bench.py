"""Small files of annotations, and the way to read one."""

import io
import json
from typing import Any

from vitrine.iiif.presentation.remarks import Remark
from vitrine.text.annotations.read_annotations import ReadRemarks, read_remarks
from vitrine.text.annotations.sources import Pages
from vitrine.text.transcription.page_text import CanvasSize

CANVAS = CanvasSize(1000, 2000)
HERE = "https://museum.example/presentation/3/a%20book/canvas/1"
ONE = Pages("a book", {1: CANVAS})
TWO = Pages("a book", {1: CANVAS, 2: CANVAS})


def comment(value: str = "a comment", target: Any = HERE, **more: Any) -> dict[str, Any]:
    """An annotation."""
    return {
        "type": "Annotation",
        "motivation": "commenting",
        "body": {"type": "TextualBody", "value": value},
        "target": target,
    } | more


def read(*annotations: Any, pages: Pages = ONE) -> ReadRemarks:
    """What is read of an AnnotationPage."""
    return read_bytes(json.dumps({"type": "AnnotationPage", "items": annotations}).encode(), pages)


def read_bytes(body: bytes, pages: Pages = ONE) -> ReadRemarks:
    """What is read of a file."""
    return read_remarks(io.BytesIO(body), pages)


def read_one(annotation: Any) -> Remark:
    """The one annotation that is read."""
    read_of_it = read(annotation)
    assert not read_of_it.refused, read_of_it.refused
    (remark,) = read_of_it.pages[1]
    return remark


def refusal(annotation: Any, pages: Pages = ONE) -> tuple[str, str]:
    """Code and sentence with which one annotation is left out."""
    ((place, refused),) = read(annotation, pages=pages).refused
    assert place == 1
    return refused.code, str(refused)
