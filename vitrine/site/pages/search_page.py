"""The page that searches: a form, and what its script says in a language."""

from typing import Any

from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.object_view import MAX_VIEWS
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.static_pages import write_static_pages
from vitrine.site.pages.strings import strings
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import SEARCH_PAGE

SPOKEN = (
    *("result_none", "result_one", "result_many", "result_ask"),
    *("search_trouble", "search_unbuilt"),
    *("listed_one", "listed_many"),
    *("texts_one", "texts_many", "texts_most", "texts_pages", "texts_refused", "texts_trouble"),
    *("view", "collection", "previous", "next", "facet_remove", "facet_more", "facet_none"),
)
"""Texts of the site that the script says."""


def write_search_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""

    def fill(language: str) -> dict[str, Any]:
        t, suffix = strings(language), theme.suffix(language)
        return {
            "spoken": {name: t[name] for name in SPOKEN},
            "most_views": MAX_VIEWS,
            "suffix": f"/{suffix}" if suffix else "",
            "sharing": Sharing(title=t["search"], description=t["search_label"]),
        }

    return write_static_pages(SEARCH_PAGE, theme, base, fill)
