"""What of a text is HTML, and what is a text that merely has angle brackets.

The Presentation API 3.0 (section 4.5) has one rule for readers: a value is HTML if it begins with
`<` and ends with `>`. And it has three for publishers: HTML stands in a summary and in the value of
a pair, nowhere else; it is within an element; and a text that only looks like HTML, such as
`<Nachlass Weber>`, gets a space behind it.
"""

import re
from html.parser import HTMLParser

from vitrine.visible_text import escape_controls

_VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"})
_NAMES = (
    "a abbr acronym address article aside audio b base bdi bdo big blockquote body button "
    "canvas caption center cite code colgroup data datalist dd del details dfn dialog dir "
    "div dl dt em fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 "
    "h5 h6 head header hgroup html i iframe ins kbd label legend li main map mark marquee "
    "math menu meter nav noembed noframes noscript object ol optgroup option output p "
    "param picture plaintext pre progress q rp rt ruby s samp script search section select "
    "slot small source span strike strong style sub summary sup svg table tbody td "
    "template textarea tfoot th thead time title tr track tt u ul var video xmp "
)
_ELEMENTS = _VOID | frozenset(_NAMES.split())
"""Names of elements of HTML (https://html.spec.whatwg.org/multipage/indices.html), also obsolete
ones, and of the two languages that it embeds."""
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?/?)>|<(!--)")


def is_html(text: str) -> bool:
    """Return whether readers take a published value for HTML."""
    return text.startswith("<") and text.endswith(">")


def plain_text(text: str) -> str:
    """Return a published value without markup, controls and line breaks."""
    return one_line(read_html(text) if is_html(text) else text)


def one_line(text: str) -> str:
    """Return a text without controls and line breaks."""
    return escape_controls(" ".join(text.split()))


def mark_as_text(text: str) -> str:
    """Return a text that is no HTML so that readers do not take it for any."""
    text = text.strip()
    return f"{text} " if is_html(text) else text


def has_elements(text: str) -> bool:
    """Return True for a text with an element of HTML: one that is closed, or needs not be.

    Where a known name has an attribute, somebody means HTML, whether it is closed or not.
    """
    opened: set[str] = set()
    for found in _TAG.finditer(text):
        name = (found[2] or "").lower()
        if found[4]:
            return True
        if name not in _ELEMENTS:
            continue
        if name in _VOID or "=" in found[3] or (found[1] and name in opened):
            return True
        opened.add(name)
    return False


def read_html(html: str) -> str:
    """Return the text of HTML, without what surrounds it."""
    reader = _TextCollector()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts).strip()


class _TextCollector(HTMLParser):
    """Collects the text between tags; a new paragraph or line is a space."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in ("p", "br"):
            self.parts.append(" ")
