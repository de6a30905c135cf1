"""The sitemap of the lists of facets: the first page of each, in the site's first language."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from vitrine.site.pages.page_files import PageFile
from vitrine.store.site_layout import BROWSE_PAGES

BROWSE_SITEMAP = f"{BROWSE_PAGES}sitemap.xml"
"""No slug has a point, so no list has this key. A sitemap is about what is below its own folder."""
URLS = 20_000
"""URLs of one sitemap. The protocol (sitemaps.org) allows 50,000."""
XML = "application/xml"
_START = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def write_sitemaps(paths: Sequence[str], base: str) -> list[PageFile]:
    """Return sitemaps of these paths, and last the one that lists them. `base` as of pages."""
    parts = [paths[start : start + URLS] for start in range(0, len(paths), URLS)]
    keys = [f"{BROWSE_PAGES}sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    files = [
        PageFile(key, _write("urlset", "url", part, base), XML)
        for key, part in zip(keys, parts, strict=True)
    ]
    index = _write("sitemapindex", "sitemap", [f"/{key}" for key in keys], base)
    return [*files, PageFile(BROWSE_SITEMAP, index, XML)]


def write_emptied_sitemap(key: str) -> PageFile:
    """Return what replaces a sitemap that nothing is left for."""
    return PageFile(key, _write("urlset", "url", (), ""), XML)


def is_sitemap(key: str) -> bool:
    """Return whether this is the key of a sitemap."""
    return key.startswith(f"{BROWSE_PAGES}sitemap") and key.endswith(".xml")


def _write(element: str, part: str, paths: Sequence[str], base: str) -> bytes:
    entries = "".join(f"\n<{part}><loc>{escape(base + path)}</loc></{part}>" for path in paths)
    return f"{_START}<{element} {_NAMESPACE}>{entries}\n</{element}>\n".encode()
