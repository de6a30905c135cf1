"""The text of a canvas as annotations, one for each line: what viewers show as a transcription.

Presentation API 3.0, section 5.5 (an AnnotationPage with the motivation `supplementing`), and 2.1,
section 5.6 (an AnnotationList). They are documents of their own, which manifests lead to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vitrine.iiif.presentation import version2, version3
from vitrine.iiif.presentation.addresses import Addresses
from vitrine.iiif.presentation.version3 import Json

MAX_LINES = 10_000
"""Lines of a canvas; a page of a newspaper has some 2,500. Further lines are only searched."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line, and where it is on its canvas in pixels: x, y, width, height."""

    text: str
    box: tuple[int, int, int, int] | None = None
    language: str = ""


def build_annotation_page(
    identifier: str, number: int, lines: Sequence[TextLine], base: str
) -> Json:
    """Return the lines of a canvas, counted from 1, for version 3."""
    to = Addresses(base, 3)
    items = []
    for place, line in enumerate(lines[:MAX_LINES], start=1):
        body: Json = {"type": "TextualBody", "format": "text/plain", "value": line.text}
        if line.language:
            body["language"] = line.language
        items.append(
            {
                "id": to.part(identifier, "line", f"{number}-{place}"),
                "type": "Annotation",
                "motivation": "supplementing",
                "body": body,
                "target": _annotation_target(identifier, number, line, to),
            }
        )
    return {
        "@context": version3.CONTEXT,
        "id": to.text_page(identifier, number),
        "type": "AnnotationPage",
        "items": items,
    }


def build_annotation_list(
    identifier: str, number: int, lines: Sequence[TextLine], base: str
) -> Json:
    """Return the lines of a canvas, counted from 1, for version 2."""
    to = Addresses(base, 2)
    resources = []
    for place, line in enumerate(lines[:MAX_LINES], start=1):
        body: Json = {
            "@type": "cnt:ContentAsText",
            "format": "text/plain",
            "chars": line.text,
        }
        if line.language:
            body["language"] = line.language
        resources.append(
            {
                "@id": to.part(identifier, "line", f"{number}-{place}"),
                "@type": "oa:Annotation",
                "motivation": "sc:painting",
                "resource": body,
                "on": _annotation_target(identifier, number, line, to),
            }
        )
    return {
        "@context": version2.CONTEXT,
        "@id": to.text_page(identifier, number),
        "@type": "sc:AnnotationList",
        "resources": resources,
    }


def _annotation_target(identifier: str, number: int, line: TextLine, to: Addresses) -> str:
    canvas = to.part(identifier, "canvas", number)
    return f"{canvas}#xywh={','.join(map(str, line.box))}" if line.box else canvas
