"""The page with a map of the world: where objects come from, and which."""

from typing import Any

from vitrine.site.pages.facet_values import PLACE
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.static_pages import write_static_pages
from vitrine.site.pages.strings import strings
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import MAP_PAGE, facet_page_key, page_path

SPOKEN = ("map_cluster_one", "map_cluster_many", "map_trouble", "map_empty", "collection")
"""Texts of the site that the script says."""


def write_map_pages(theme: Theme, base: str, *, has_places: bool) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host.

    `has_places` if an object has a place: a list then has all of them.
    """

    def fill(language: str) -> dict[str, Any]:
        t, suffix = strings(language), theme.suffix(language)
        return {
            "spoken": {name: t[name] for name in SPOKEN},
            "suffix": f"/{suffix}" if suffix else "",
            "places": page_path(facet_page_key(PLACE, language=suffix)) if has_places else "",
            "sharing": Sharing(title=t["map"], description=theme.name),
        }

    return write_static_pages(MAP_PAGE, theme, base, fill)
