"""The theme as the site's bucket has it, where whatever writes pages finds the same one."""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.site.pages.page_files import JSON
from vitrine.site.pages.theme import DEFAULT, Theme, read_theme, write_stylesheet
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.site_layout import STORED_THEME, THEME

SECONDS = 60
"""Seconds for which a process may write pages with a theme that was replaced."""
CACHE = "public, max-age=60"
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


class StoredTheme:
    """Reads the theme again once in a while."""

    def __init__(self, site: ObjectStore) -> None:
        self._site = site
        self._theme: Theme | None = None
        self._read_at = 0.0

    def get(self) -> Theme:
        """Return the theme; the package's own if none was ever published."""
        if self._theme is None or time.monotonic() - self._read_at > SECONDS:
            self._theme, self._read_at = load_theme(self._site), time.monotonic()
        return self._theme


def load_theme(site: ObjectStore) -> Theme:
    """Return the stored theme; the package's own if none was ever published."""
    return _load(site)[0]


def _load(site: ObjectStore) -> tuple[Theme, str]:
    """Return the same with its ETag, "" for the package's own."""
    try:
        body, info = site.get(STORED_THEME)
    except ObjectMissing:
        return read_theme(DEFAULT), ""
    return msgspec.json.decode(body, type=Theme), info.etag


def store_theme(site: ObjectStore, path: Path) -> Theme:
    """Put the theme of a file where the site has it. Raises ThemeRefused, TransientError."""
    theme = read_theme(path)
    if theme.logo:
        logo = path.parent / theme.logo
        _put(site, theme.logo_file, logo.read_bytes(), _TYPES[logo.suffix.lower()])
        theme = msgspec.structs.replace(theme, logo=theme.logo_file)
    for font in theme.font_files:
        _put(site, font.file, (path.parent / font.file).read_bytes(), "font/woff2")
    return replace_theme(site, theme.replacing)


def keep_theme(site: ObjectStore) -> Theme:
    """Return the stored theme, written again as this release writes it. Raises TransientError."""
    return replace_theme(site, lambda stored: stored)


def replace_theme(site: ObjectStore, change: Callable[[Theme], Theme]) -> Theme:
    """Put what `change` makes of the stored theme in its place; return it. Raises TransientError.

    Of two at once, the second one knows the languages of the first.
    """

    def write() -> Theme:
        stored, etag = _load(site)
        theme = change(stored)
        _put(site, "theme.css", write_stylesheet(theme).encode(), "text/css; charset=utf-8")
        body = msgspec.json.encode(theme)
        site.put(STORED_THEME, body, content_type=JSON, cache_control=CACHE, if_etag=etag)
        return theme

    return retry_if_changed(write, "The theme")


def _put(site: ObjectStore, name: str, body: bytes, content_type: str) -> None:
    site.put(THEME + name, body, content_type=content_type, cache_control=CACHE)
