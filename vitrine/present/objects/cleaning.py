"""Texts as viewers may show them: of HTML, only what the Presentation API allows.

Viewers take a text for HTML if it begins with `<` and ends with `>` (Presentation API 3.0,
section 4.5), and are asked, but cannot be trusted, to remove what is dangerous in it.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from vitrine.present.allowed_html import clean_html
from vitrine.present.objects.records import Item
from vitrine.present.pages.wording import is_html

IDENTIFIERS = {"identifier", "image", "thumbnail", "part_of"}
"""Fields that no viewer takes for HTML, whatever they look like."""

T = TypeVar("T", bound=Item)


def clean_text(text: str) -> str:
    """Return a text without surrounding space and, if it is HTML, with allowed elements only."""
    text = text.strip()
    return clean_html(text) if is_html(text) else text


def clean_item(item: T) -> T:
    """Return an object or collection with all of its texts clean."""
    cleaned: T = msgspec.convert(_clean(msgspec.to_builtins(item)), type(item))
    return cleaned


def _clean(value: object, clean: Callable[[str], str] = clean_text) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            return {
                name: _clean(inner, str.strip if name in IDENTIFIERS else clean)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [_clean(inner, clean) for inner in value]
        case _:
            return value
