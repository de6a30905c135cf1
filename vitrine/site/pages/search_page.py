"""The page that searches: a form, and what its script says in a language."""

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.object_view import MAX_VIEWS
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.strings import strings
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import SEARCH_PAGE, page_path, static_page_key

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
    keys = {
        language: static_page_key(SEARCH_PAGE, "" if language == theme.language else language)
        for language in theme.languages
    }
    paths = {language: page_path(key) for language, key in keys.items()}
    pages = [
        PageFile(
            key,
            render(
                "search.html",
                theme=theme,
                language=language,
                base=base,
                path=paths[language],
                others=paths,
                spoken={name: strings(language)[name] for name in SPOKEN},
                most_views=MAX_VIEWS,
                suffix="" if language == theme.language else f"/{language}",
                sharing=Sharing(
                    title=strings(language)["search"], description=strings(language)["search_label"]
                ),
            ),
        )
        for language, key in keys.items()
    ]
    return pages + write_dropped_pages(
        lambda suffix: static_page_key(SEARCH_PAGE, suffix), f"/{SEARCH_PAGE}", theme, base
    )
