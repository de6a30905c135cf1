"""The page that says what the site is: the theme's own words, in each language."""

from typing import Any

from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.static_pages import write_static_pages
from vitrine.site.pages.theme import Theme


def write_about_pages(theme: Theme, base: str) -> list[PageFile]:
    """Return the page in each language. `base` is scheme and host."""

    def fill(language: str) -> dict[str, Any]:
        return {
            "paragraphs": _paragraphs(theme, language),
            "sharing": Sharing(title=theme.name, description=_first_paragraph(theme, language)),
        }

    return write_static_pages("about", theme, base, fill)


def _first_paragraph(theme: Theme, language: str) -> str:
    return next(iter(_paragraphs(theme, language)), "")


def _paragraphs(theme: Theme, language: str) -> list[str]:
    text = theme.about.get(language) or theme.about.get(theme.language, "")
    return [one.strip() for one in text.split("\n\n") if one.strip()]
