"""The page with a map of the world: where objects come from, and which."""

from typing import Any

from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.static_pages import write_static_pages
from vitrine.site.pages.strings import strings
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import MAP_PAGE

SPOKEN = ("map_cluster_one", "map_cluster_many", "map_trouble", "map_empty", "collection")
"""Texts of the site that the script says."""


def write_map_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""

    def fill(language: str) -> dict[str, Any]:
        t, suffix = strings(language), theme.suffix(language)
        return {
            "spoken": {name: t[name] for name in SPOKEN},
            "suffix": f"/{suffix}" if suffix else "",
            "sharing": Sharing(title=t["map"], description=theme.name),
        }

    return write_static_pages(MAP_PAGE, theme, base, fill)
