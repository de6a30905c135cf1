"""What an address says that never was one, in the languages of the site.

Nobody is led here: where there is no page, `site/missing/missing.js` puts this one in its place.
"""

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import page_path, static_page_key

NAME = "missing"


def write_missing_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""
    pages = [
        PageFile(
            static_page_key(NAME, theme.suffix(language)),
            render(
                "absent.html",
                theme=theme,
                language=language,
                base=base,
                state="missing",
                reason="",
                target="",
                is_framed=False,
            ),
        )
        for language in theme.languages
    ]
    first = page_path(static_page_key(NAME))
    return pages + write_dropped_pages(
        lambda suffix: static_page_key(NAME, suffix), first, theme, base
    )
