"""W3C annotations: transcriptions of lines or words, as IIIF Presentation 3 publishes them.

Comments are not the text of a page: of motivations, `supplementing` and `transcribing` count.
Lists of Presentation 2 are read as what they say in these words.
https://www.w3.org/TR/annotation-model/
"""

import re
from collections.abc import Iterator
from typing import Any

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import short_motivation
from vitrine.text.foreign_json import decode_json
from vitrine.text.transcription.html_words import read_html
from vitrine.text.transcription.languages import read_language
from vitrine.text.transcription.older_annotations import list_older, modernise
from vitrine.text.transcription.page_builder import PageBuilder, Rectangle, read_number
from vitrine.text.transcription.page_text import CanvasSize

MAX_BYTES = 16 << 20
"""Bytes of a file, which is read whole."""
TEXT_MOTIVATIONS = {"supplementing", "transcribing"}
_REGION = re.compile(r"\bxywh=(pixel:|percent:)?" + ",".join([r"([\d.]{1,20})"] * 4))


def read_annotations(pieces: Iterator[bytes], canvas: CanvasSize, builder: PageBuilder) -> None:
    """Give the texts of an AnnotationPage to the builder, a line or more for each annotation.

    Raises TextRefused.
    """
    for annotation in list_annotations(pieces):
        if not is_text(annotation):
            continue
        box = _find_region(annotation.get("target"), canvas)
        for body in listed(annotation.get("body")):
            if isinstance(body, dict) and isinstance(body.get("value"), str):
                languages = [one for one in listed(body.get("language")) if isinstance(one, str)]
                language = read_language(languages[0]) if len(languages) == 1 else ""
                for line in _read_value(body).splitlines():
                    builder.begin_line(box, language)
                    builder.add_text(line)


def is_text(annotation: dict[str, Any]) -> bool:
    """Return whether an annotation is text of the page, as all are that say nothing else."""
    motivations = {one for one in list_motivations(annotation) if isinstance(one, str)}
    return not motivations or any(short_motivation(one) in TEXT_MOTIVATIONS for one in motivations)


def list_motivations(annotation: dict[str, Any]) -> list[Any]:
    """Return the motivations of an annotation; without any, the purposes of its bodies."""
    bodies = [body for body in listed(annotation.get("body")) if isinstance(body, dict)]
    purposes = (purpose for body in bodies for purpose in listed(body.get("purpose")))
    return listed(annotation.get("motivation")) or list(purposes)


def _parse(pieces: Iterator[bytes]) -> Any:
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > MAX_BYTES:
            raise TextRefused("bytes", f"it is larger than {MAX_BYTES >> 20} MiB")
    try:
        return decode_json(content)
    except ValueError as error:
        raise TextRefused("json", f"it is not JSON: {error}") from None


def list_annotations(pieces: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the annotations of a file. Raises TextRefused."""
    document = _parse(pieces)
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "AnnotationPage":
        document = document.get("items")
    elif kind == "Annotation":
        document = [document]
    elif (older := list_older(document)) is not None:
        document = older
    if not isinstance(document, list):
        raise TextRefused("format", "it is JSON, but neither AnnotationPage nor annotations")
    yield from (modernise(one) for one in document if isinstance(one, dict))


def listed(value: Any) -> list[Any]:
    """Return the values of a property that has none, one, or a list of them."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _find_region(target: Any, canvas: CanvasSize) -> Rectangle | None:
    """Return the rectangle that a target names in a fragment, in pixels of the canvas."""
    for one in listed(target):
        fragments = [one]
        if isinstance(one, dict):
            fragments = [one.get("id"), one.get("source")]
            selectors = listed(one.get("selector"))
            fragments += [part.get("value") for part in selectors if isinstance(part, dict)]
        for fragment in fragments:
            found = _REGION.search(fragment) if isinstance(fragment, str) else None
            if found:
                return _scale_region(found, canvas)
    return None


def _scale_region(found: re.Match[str], canvas: CanvasSize) -> Rectangle | None:
    left, top, width, height = (read_number(number) for number in found.groups()[1:])
    if left is None or top is None or width is None or height is None:
        return None
    if found[1] != "percent:":
        return left, top, width, height
    across, down = canvas.width / 100, canvas.height / 100
    return left * across, top * down, width * across, height * down


def _read_value(body: dict[str, Any]) -> str:
    value = str(body["value"])
    return read_html(value) if body.get("format") == "text/html" else value
