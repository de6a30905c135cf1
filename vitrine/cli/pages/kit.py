"""How every page is rendered: a Jinja template that extends `page.html`, all values escaped."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vitrine.visible_text import escape_controls

KIT = Path(__file__).parent


def render(template: Path, **values: Any) -> str:
    """Return the page of a template, which finds `page.html` of the kit next to its own files.

    `title` and `style` (CSS, as of `stylesheet`) are values that every page has.
    """
    return _environment(template.parent).get_template(template.name).render(**values) + "\n"


def stylesheet(*own: Path) -> str:
    """Return the CSS of the kit, and behind it the page's own files."""
    return "".join(path.read_text(encoding="utf-8") for path in (KIT / "page.css", *own))


@cache
def _environment(folder: Path) -> Environment:
    return Environment(
        loader=FileSystemLoader([folder, KIT]),
        autoescape=True,
        finalize=_show_controls,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _show_controls(value: Any) -> Any:
    """Spell out what cannot be seen in a text that is not our own HTML; lines stay lines."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape_controls(value, keep="\n")
    return value
