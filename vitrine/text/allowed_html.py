"""HTML of strangers, of which only what the Presentation API allows is kept (3.0, section 4.5)."""

from collections.abc import Set

import nh3

from vitrine.text.hidden_html import HIDDEN
from vitrine.text.text_or_html import has_elements, is_html, mark_as_text, read_html

TAGS = {"a", "b", "br", "i", "img", "p", "small", "span", "sub", "sup"}
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "img": {"src", "alt"}}
SCHEMES = {"http", "https", "mailto"}


def clean_value(text: str) -> str:
    """Return a text for a place that may have HTML: a summary, or the value of a pair.

    Of HTML, what the specification allows, within an element.
    """
    text = text.strip()
    if not has_elements(text):
        return mark_as_text(text)
    cleaned = clean_html(text).strip()
    return f"<span>{cleaned}</span>" if cleaned and not is_html(cleaned) else cleaned


def clean_label(text: str) -> str:
    """Return a text for a place that may have no HTML: without tags, with what they show."""
    text = text.strip()
    while has_elements(text) and len(shown := read_html(clean_html(text))) < len(text):
        text = shown  # which may have been HTML that was escaped
    return mark_as_text(text)


def clean_html(text: str) -> str:
    """Return HTML with allowed elements only, and with nothing of those that nobody sees."""
    return _clean(text, TAGS)


def clean_structure(html: str, elements: Set[str]) -> str:
    """Return what HTML shows, as browsers read it, with these elements and the allowed ones.

    Another reader may take for shown what browsers do not, and the other way round: of this all
    read the same.
    """
    return _clean(html, TAGS | elements)


def _clean(html: str, elements: Set[str]) -> str:
    cleaned: str = nh3.clean(
        html,
        tags={*elements},
        clean_content_tags={*HIDDEN},
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel=None,
    )
    return cleaned
