"""What HTML says, without its elements."""

from lxml import etree

from vitrine.errors import TextRefused
from vitrine.text.hidden_html import HIDDEN

DIVIDING = (
    *("address", "blockquote", "br", "dd", "div", "dt", "li", "p", "pre", "td", "th"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
)
"""Elements that no word reaches across."""


def read_html(html: str) -> str:
    """Return the text of HTML that is shown.

    Raises TextRefused for elements that are nested too deep.
    """
    if not html.strip():
        return ""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True)
    try:
        root = etree.fromstring(html.encode(), parser)
    except etree.LxmlError as error:
        raise TextRefused("html", f"it is not HTML: {error}") from None
    # The parser drops what is deeper than it goes, and says so here only.
    if any(one.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for one in parser.error_log):
        raise TextRefused("depth", "its HTML has elements that are nested too deep to be read")
    if root is None:
        return ""
    for element in list(root.iter(*HIDDEN)):
        element.clear(keep_tail=True)
    for element in root.iter(*DIVIDING):
        element.text, element.tail = f" {element.text or ''}", f" {element.tail or ''}"
    return "".join(root.itertext(etree.Element))
