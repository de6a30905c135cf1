"""Keys of the pages for people, in the bucket of the site; their addresses have the same paths."""

from urllib.parse import quote

from vitrine.store.layout import INSIDE, PUBLICATIONS

OBJECT_PAGES, COLLECTION_PAGES, EMBED_PAGES = "objects/", "collections/", "embed/"
"""Prefixes of pages for people, in the bucket of the site; their addresses have the same paths."""
OEMBED = "oembed/"
"""Prefix of the descriptions with which others embed an object, in the same bucket; addresses are
the same."""
PUBLISHED = (PUBLICATIONS, INSIDE, OBJECT_PAGES, COLLECTION_PAGES, EMBED_PAGES, OEMBED)
"""Prefixes of all files that publishing an object or a collection writes."""
HOME_PAGE, HOME_PAGES = "index.html", "home/"
"""The first page, and where it begins in the site's other languages, in the same bucket."""
SEARCH_PAGE = "search"
"""The page that searches, in the same bucket; its scripts and the index begin with its name."""
MAP_PAGE = "map"
"""The page with a map of what has a place, in the same bucket."""
SEARCH_INDEX = f"{SEARCH_PAGE}/index/"
"""Prefix of the index that the page reads."""
SEARCH_STATE = f"{INSIDE}search/"
"""Prefix of the index's sources, closed objects included; it has no address either."""
FULL_TEXT = f"{INSIDE}across/"
"""Prefix of the index of the pages of all objects; as text indexes, it has no address."""
OMISSIONS = f"{INSIDE}omissions/"
"""Prefix of notes about the objects that a part of the service leaves out; it has no address
either."""
BROWSE_PAGES = "browse/"
"""Prefix of the lists of facets, in the same bucket."""
NOT_DIGITISED = "/not-digitised.svg"
"""Path of the picture of an object that has none yet."""
THEME = "theme/"
"""Prefix of the files of the site's theme, in the same bucket."""
STORED_THEME = f"{THEME}theme.json"
"""The theme, as what writes pages reads it."""


def object_page_key(identifier: str, language: str = "") -> str:
    """Return the key of an object's page; a second language of the site has one of its own."""
    return _page_folder(OBJECT_PAGES, identifier) + (f"/{language}" if language else "")


def collection_page_key(identifier: str, number: int = 1, language: str = "") -> str:
    """Return the key of a page for people of a collection, from 1."""
    key = _page_folder(COLLECTION_PAGES, identifier) + (f"/{language}" if language else "")
    return key if number == 1 else f"{key}/{number}"


def embed_page_key(identifier: str) -> str:
    """Return the key of the page that others frame."""
    return _page_folder(EMBED_PAGES, identifier)


def oembed_key(identifier: str) -> str:
    """Return the key of what says in oEmbed how to embed an object."""
    return _page_folder(OEMBED, identifier)


def facet_page_key(facet: str, number: int = 1, language: str = "") -> str:
    """Return the key of a page with the values of a facet, from 1, by the facet's slug."""
    parts = [*filter(None, [language]), *([str(number)] if number > 1 else [])]
    # No slug has this sign: a value may be named as a language is, or be a number.
    return "/".join([BROWSE_PAGES + facet, *(["_", *parts] if parts else [])])


def value_page_key(facet: str, value: str, number: int = 1, language: str = "") -> str:
    """Return the key of a page with the objects of a value, from 1, by the slugs of both."""
    parts = [*filter(None, [language]), *([str(number)] if number > 1 else [])]
    return "/".join([BROWSE_PAGES + facet, value, *parts])


def browse_page_key(language: str = "") -> str:
    """Return the key of the page that lists all facets."""
    # No slug has this sign.
    return f"{BROWSE_PAGES}_/{language}" if language else BROWSE_PAGES.rstrip("/")


def home_page_key(language: str = "") -> str:
    """Return the key of the first page; a second language of the site has one of its own."""
    return f"{HOME_PAGES}{language}" if language else HOME_PAGE


def static_page_key(name: str, language: str = "") -> str:
    """Return the key of a page of which there is one, such as `about`."""
    return f"{name}/{language}" if language else name


def page_path(key: str) -> str:
    """Return the path of a page's address, percent-encoded.

    S3 decodes paths: so that an identifier's slash is no slash of the key, the edge's function
    encodes its escape once more.
    """
    return "/" + quote(key, safe="/:%")


def _page_folder(root: str, identifier: str) -> str:
    return root + identifier.replace("%", "%25").replace("/", "%2F")
