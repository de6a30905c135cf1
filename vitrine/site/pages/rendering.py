"""How every page of the site is rendered: Jinja templates, all values escaped."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from vitrine.site.pages.strings import LANGUAGES, strings, write_number
from vitrine.site.pages.theme import Theme
from vitrine.store.site_layout import THEME, browse_page_key, page_path


def render(template: str, *, theme: Theme, language: str, base: str, **values: Any) -> bytes:
    """Return a page as UTF-8. `base` is scheme and host.

    `path` is the page's own path, `others` are the paths of the same page in the site's languages.
    """
    page = _environment().get_template(template)
    text = page.render(
        theme=theme,
        language=language,
        base=base,
        t=strings(language),
        number=lambda value: write_number(value, language),
        logo=f"/{THEME}{theme.logo_file}" if theme.logo_file else "",
        home="/" if language == theme.language else f"/home/{language}",
        about="/about" if language == theme.language else f"/about/{language}",
        browse=page_path(browse_page_key("" if language == theme.language else language)),
        search="/search" if language == theme.language else f"/search/{language}",
        language_names={one: strings(one)["language"] for one in LANGUAGES},
        **values,
    )
    return (text + "\n").encode()


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
