"""The page with a map of the world: where objects come from, and which."""

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.strings import strings
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import MAP_PAGE, page_path, static_page_key

SPOKEN = ("map_cluster_one", "map_cluster_many", "map_trouble", "map_empty", "collection")
"""Texts of the site that the script says."""


def write_map_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""
    keys = {
        language: static_page_key(MAP_PAGE, theme.suffix(language)) for language in theme.languages
    }
    paths = {language: page_path(key) for language, key in keys.items()}
    pages = [
        PageFile(
            key,
            render(
                "map.html",
                theme=theme,
                language=language,
                base=base,
                path=paths[language],
                others=paths,
                spoken={name: strings(language)[name] for name in SPOKEN},
                suffix=f"/{theme.suffix(language)}" if theme.suffix(language) else "",
                sharing=Sharing(title=strings(language)["map"], description=theme.name),
            ),
        )
        for language, key in keys.items()
    ]
    return pages + write_dropped_pages(
        lambda suffix: static_page_key(MAP_PAGE, suffix), f"/{MAP_PAGE}", theme, base
    )
