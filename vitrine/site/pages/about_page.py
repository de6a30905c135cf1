"""The page that says what the site is: the theme's own words, in each language."""

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import page_path, static_page_key


def write_about_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""
    keys = {
        language: static_page_key("about", theme.suffix(language)) for language in theme.languages
    }
    pages = [
        PageFile(
            key,
            render(
                "about.html",
                theme=theme,
                language=language,
                base=base,
                path=page_path(key),
                others={one: page_path(other) for one, other in keys.items()},
                paragraphs=_paragraphs(theme, language),
                sharing=Sharing(title=theme.name, description=_first_paragraph(theme, language)),
            ),
        )
        for language, key in keys.items()
    ]
    return pages + write_dropped_pages(
        lambda suffix: static_page_key("about", suffix), "/about", theme, base
    )


def _first_paragraph(theme: Theme, language: str) -> str:
    return next(iter(_paragraphs(theme, language)), "")


def _paragraphs(theme: Theme, language: str) -> list[str]:
    text = theme.about.get(language) or theme.about.get(theme.language, "")
    return [one.strip() for one in text.split("\n\n") if one.strip()]
