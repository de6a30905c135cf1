"""What a canvas says in annotations: its long description, its text, and what others say of it."""

from collections.abc import Iterator
from typing import Any

from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.model import Canvas, Texts

LABEL = "Annotations"
"""Label of annotations that are not the text."""
Json = dict[str, Any]


def describe_canvas(identifier: str, number: int, canvas: Canvas, to: Addresses) -> Iterator[Json]:
    """Yield the annotation pages of a canvas of version 3, counted from 1."""
    if canvas.description:
        yield _describing_page(identifier, number, canvas.description, to)
    if canvas.text:
        # A document of its own: a page of a newspaper has a megabyte.
        yield {"id": to.text_page(identifier, number), "type": "AnnotationPage"}
    if canvas.annotations:
        # Their label is in the document: the official schema knows none here.
        yield {"id": to.remark_page(identifier, number), "type": "AnnotationPage"}


def list_texts(identifier: str, number: int, canvas: Canvas, to: Addresses) -> Iterator[Json]:
    """Yield the annotation lists of a canvas of version 2, counted from 1."""
    if canvas.text:
        yield {"@id": to.text_page(identifier, number), "@type": "sc:AnnotationList"}
    if canvas.annotations:
        address = to.remark_page(identifier, number)
        yield {"@id": address, "@type": "sc:AnnotationList", "label": LABEL}


def _describing_page(identifier: str, number: int, description: Texts, to: Addresses) -> Json:
    """Return the long description as annotations of the canvas, one for each language."""
    target = to.part(identifier, "canvas", number)
    annotations = []
    for language, values in description.items():
        body: Json = {"type": "TextualBody", "format": "text/plain", "value": "\n\n".join(values)}
        if language != "none":
            body["language"] = language
        annotations.append(
            {
                "id": to.part(identifier, "description", f"{number}-{language}"),
                "type": "Annotation",
                "motivation": "describing",
                "body": body,
                "target": target,
            }
        )
    page = to.part(identifier, "descriptions", number)
    return {"id": page, "type": "AnnotationPage", "items": annotations}
