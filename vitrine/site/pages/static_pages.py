"""Pages of which there is one in each language of the site, such as `/about`."""

from collections.abc import Callable, Mapping
from typing import Any

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import page_path, static_page_key


def write_static_pages(
    name: str, theme: Theme, base: str, fill: Callable[[str], Mapping[str, Any]]
) -> list[PageFile]:
    """Return the page of this name in each language, and what replaces it in earlier ones.

    `base` is scheme and host; `fill` returns what the template `NAME.html` shows in a language.
    """

    def key(suffix: str) -> str:
        return static_page_key(name, suffix)

    paths = {one: page_path(key(theme.suffix(one))) for one in theme.languages}
    pages = [
        PageFile(
            key(theme.suffix(language)),
            render(
                f"{name}.html",
                theme=theme,
                language=language,
                base=base,
                path=paths[language],
                others=paths,
                **fill(language),
            ),
        )
        for language in theme.languages
    ]
    return pages + write_dropped_pages(key, f"/{name}", theme, base)
