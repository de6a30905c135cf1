"""Records as they are kept: texts that viewers may show, and rights by their URIs.

Viewers are asked, but cannot be trusted, to remove what is dangerous in HTML.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from vitrine.catalogue.records import Item
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.text.allowed_html import clean_label, clean_value

T = TypeVar("T", bound=Item)
Clean = Callable[[str], str]


def clean_item(item: T) -> T:
    """Return an object or collection with all of its texts clean, and with the URIs of rights."""
    cleaned: T = msgspec.convert(_clean(msgspec.to_builtins(item), clean_label), type(item))
    return cleaned


def _clean_rights(text: str) -> str:
    return rights_uri(text) or text.strip()


_CLEANERS: dict[str, Clean] = {
    **dict.fromkeys(("identifier", "image", "thumbnail", "part_of"), str.strip),
    **dict.fromkeys(("address", "service", "profile", "logo", "thumbnail_elsewhere"), str.strip),
    **dict.fromkeys(("summary", "alt_text", "value"), clean_value),
    "rights": _clean_rights,
}
"""Cleaners by the name of a field, where it is no text without HTML."""


def _clean(value: object, clean: Clean) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            return {
                name: _clean(inner, _CLEANERS.get(name, clean)) for name, inner in value.items()
            }
        case list() | tuple():
            return [_clean(inner, clean) for inner in value]
        case _:
            return value
