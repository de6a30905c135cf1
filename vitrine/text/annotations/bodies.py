"""What annotations say: plain texts, HTML of strangers, and addresses that they lead to."""

from typing import Any

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import HTML, PLAIN, TEXTUAL, AnnotationBody
from vitrine.text.allowed_html import clean_html, clean_structure
from vitrine.text.annotations.names import (
    MAX_NAME_LENGTH,
    is_address,
    read_motivation,
    read_name,
)
from vitrine.text.transcription.annotations import listed
from vitrine.text.transcription.html_words import DIVIDING, read_html
from vitrine.text.transcription.languages import read_language

MAX_BODIES = 20
MAX_TEXT_LENGTH = 10_000
"""Characters."""
_KINDS = {"Text", "Image", "Sound", "Video", "Dataset", "Model"}
_FORMATS = {"": PLAIN, PLAIN: PLAIN, HTML: HTML}


def read_bodies(annotation: dict[str, Any]) -> tuple[AnnotationBody, ...]:
    """Return all bodies of an annotation. Raises TextRefused."""
    several = listed(annotation.get("body"))
    if len(several) > MAX_BODIES:
        raise TextRefused("bodies", f"it has more than {MAX_BODIES} bodies")
    bodies = [_read_body(body) for body in several]
    if "bodyValue" in annotation:
        bodies.append(_read_textual({"value": annotation["bodyValue"]}))
    return tuple(bodies)


def _read_body(body: Any) -> AnnotationBody:
    match body:
        case str():
            return _read_link(body, {})
        case {"value": _}:
            return _read_textual(body)
        # Of a SpecificResource, `id` names the use of what is at `source`.
        case {"source": str(address)} | {"source": {"id": str(address)}} | {"id": str(address)}:
            return _read_link(address, body)
    raise TextRefused("body", "it has a body with neither a value nor an address")


def _read_textual(body: dict[str, Any]) -> AnnotationBody:
    value = body["value"]
    if not isinstance(value, str):
        raise TextRefused("body", "it has a body whose value is no text")
    if len(value) > MAX_TEXT_LENGTH:
        raise TextRefused("length", f"it has a text of more than {MAX_TEXT_LENGTH:,} characters")
    media_type = read_name(body.get("format"), "format")
    if media_type not in _FORMATS:
        raise TextRefused("format", f"its format {media_type!r} is neither {PLAIN} nor {HTML}")
    text, plain = value.strip(), ""
    if media_type == HTML:
        text, plain = _read_html(text)
    return AnnotationBody(
        value=text,
        type=TEXTUAL,
        format=_FORMATS[media_type],
        language=_read_language(body),
        purpose=read_motivation(body.get("purpose"), "purpose"),
        plain=plain,
    )


def _read_html(html: str) -> tuple[str, str]:
    """Return HTML of a stranger as it may be published, and what it says. Raises TextRefused."""
    cleaned = clean_html(html)
    if len(cleaned) > MAX_TEXT_LENGTH:
        # Elements that are not ended are begun again in each paragraph.
        sentence = f"its HTML has more than {MAX_TEXT_LENGTH:,} characters when it is written out"
        raise TextRefused("length", sentence)
    return cleaned, " ".join(read_html(clean_structure(html, {*DIVIDING})).split())


def _read_link(address: str, body: dict[str, Any]) -> AnnotationBody:
    if not is_address(address):
        raise TextRefused(
            "address", f"it leads to {address[:MAX_NAME_LENGTH]!r}, which is no address"
        )
    kind = body.get("type")
    return AnnotationBody(
        value=address,
        type=kind if isinstance(kind, str) and kind in _KINDS else "Text",
        format=read_name(body.get("format"), "format"),
        language=_read_language(body),
        purpose=read_motivation(body.get("purpose"), "purpose"),
    )


def _read_language(body: dict[str, Any]) -> str:
    languages = [one for one in listed(body.get("language")) if isinstance(one, str)]
    return read_language(languages[0]) if len(languages) == 1 else ""
