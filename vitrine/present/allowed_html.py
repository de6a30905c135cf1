"""HTML of strangers, of which only what the Presentation API allows is kept (3.0, section 4.5)."""

import nh3

TAGS = {"a", "b", "br", "i", "img", "p", "small", "span", "sub", "sup"}
ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}}
SCHEMES = {"http", "https", "mailto"}


def clean_html(text: str) -> str:
    """Return HTML with allowed elements only."""
    return nh3.clean(text, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel=None)
