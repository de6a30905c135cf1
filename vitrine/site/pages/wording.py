"""The texts of a record in the language of a page, as HTML and as plain text."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup, escape

from vitrine.iiif.presentation.model import Texts
from vitrine.text.text_or_html import is_html, one_line, plain_text
from vitrine.visible_text import escape_controls

FALLBACKS = ("none", "en")
"""Languages in which a text is looked for that the page's language does not have; then in its first
language."""


@dataclass(frozen=True)
class Wording:
    """Values of one text in one language."""

    values: tuple[str, ...] = ()
    language: str = ""
    """Empty if it is that of the page, or none is known."""
    is_literal: bool = False
    """True if it is text, also where it looks like HTML: an identifier."""
    paths: tuple[str, ...] = ()
    """Paths of the lists that the values lead to, empty for none; none at all without lists."""

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def html(self) -> tuple[Markup, ...]:
        """The values as HTML. What a record says in HTML was cleaned when it was put."""
        return tuple(
            Markup(one)
            if is_html(one) and not self.is_literal
            else escape(escape_controls(one, keep="\n"))
            for one in self.values
        )

    @property
    def linked(self) -> list[tuple[Markup, str]]:
        """The values as HTML, each with its path; HTML, which may have links itself, has none."""
        paths = self.paths or ("",) * len(self.values)
        texts = zip(self.values, self.html, paths, strict=True)
        return [(html, "" if is_html(text) else path) for text, html, path in texts]

    @property
    def plain(self) -> str:
        """The values without markup, in one line."""
        read = one_line if self.is_literal else plain_text
        return "; ".join(read(one) for one in self.values)


def choose_wording(texts: Texts, language: str) -> Wording:
    """Return the values of a text for a page in this language."""
    if not texts:
        return Wording()
    found = choose_language(texts, language)
    is_own = found == "none" or found.lower().partition("-")[0] == language
    return Wording(tuple(one for one in texts[found] if one), "" if is_own else found)


def choose_language(texts: Texts, language: str) -> str:
    """Return which language of a text a page in this language shows."""
    matching = (one for one in texts if one.lower().partition("-")[0] == language)
    return next(matching, None) or next(
        (one for one in FALLBACKS if one in texts), next(iter(texts))
    )


def join_plain(wordings: Iterable[Wording]) -> str:
    """Return the plain texts that are not empty, in one line."""
    return "; ".join(one.plain for one in wordings if one)
