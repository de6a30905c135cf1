"""What annotations say: plain texts, HTML of strangers, and addresses that they lead to."""

import re
from typing import Any

from vitrine.errors import TextRefused
from vitrine.iiif.presentation.remarks import HTML, PLAIN, TEXTUAL, Body
from vitrine.present.allowed_html import clean_html
from vitrine.present.text.annotations import listed
from vitrine.present.text.html_words import read_html
from vitrine.present.text.languages import read_language

MOST_BODIES = 20
LONGEST_TEXT = 10_000
"""Characters."""
LONGEST_ADDRESS = 2_000
LONGEST_NAME = 200
"""Characters of a motivation, a purpose, a creator, a moment or a media type."""
_KINDS = {"Text", "Image", "Sound", "Video", "Dataset", "Model"}
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\"<>\\^`{|}]+")
_FORMATS = {"": PLAIN, PLAIN: PLAIN, HTML: HTML}


def read_bodies(annotation: dict[str, Any]) -> tuple[Body, ...]:
    """Return all bodies of an annotation. Raises TextRefused."""
    several = listed(annotation.get("body"))
    if len(several) > MOST_BODIES:
        raise TextRefused("bodies", f"it has more than {MOST_BODIES} bodies")
    bodies = [_read_body(body) for body in several]
    if "bodyValue" in annotation:
        bodies.append(_read_textual({"value": annotation["bodyValue"]}))
    return tuple(bodies)


def read_name(value: object, what: str) -> str:
    """Return a short text, "" for nothing. Raises TextRefused."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        sentence = f"its {what} is no text of at most {LONGEST_NAME} characters"
        raise TextRefused(what, sentence)
    return _whole(value).strip()


def _read_body(body: Any) -> Body:
    match body:
        case str():
            return _read_link(body, {})
        case {"value": _}:
            return _read_textual(body)
        case {"id": str(address)} | {"source": str(address)} | {"source": {"id": str(address)}}:
            return _read_link(address, body)
    raise TextRefused("body", "it has a body with neither a value nor an address")


def _read_textual(body: dict[str, Any]) -> Body:
    value = body["value"]
    if not isinstance(value, str):
        raise TextRefused("body", "it has a body whose value is no text")
    if len(value) > LONGEST_TEXT:
        raise TextRefused("length", f"it has a text of more than {LONGEST_TEXT:,} characters")
    media_type = read_name(body.get("format"), "format")
    if media_type not in _FORMATS:
        raise TextRefused("format", f"its format {media_type!r} is neither {PLAIN} nor {HTML}")
    text, plain = _whole(value).strip(), ""
    if media_type == HTML:
        plain = " ".join(read_html(text).split())
        text = clean_html(text)
    return Body(
        value=text,
        type=TEXTUAL,
        format=_FORMATS[media_type],
        language=_read_language(body),
        purpose=read_name(body.get("purpose"), "purpose"),
        plain=plain,
    )


def _read_link(address: str, body: dict[str, Any]) -> Body:
    if len(address) > LONGEST_ADDRESS or not _ADDRESS.fullmatch(address):
        raise TextRefused("address", f"it leads to {address[:LONGEST_NAME]!r}, which is no address")
    kind = body.get("type")
    return Body(
        value=address,
        type=kind if isinstance(kind, str) and kind in _KINDS else "Text",
        format=read_name(body.get("format"), "format"),
        language=_read_language(body),
        purpose=read_name(body.get("purpose"), "purpose"),
    )


def _read_language(body: dict[str, Any]) -> str:
    languages = [one for one in listed(body.get("language")) if isinstance(one, str)]
    return read_language(languages[0]) if len(languages) == 1 else ""


def _whole(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON may have."""
    return text.encode("utf-8", "replace").decode()
