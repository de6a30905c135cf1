"""The values by which objects are listed, and the addresses of their lists."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import msgspec

from vitrine.iiif.presentation.model import Statement, Texts
from vitrine.site.pages.strings import LANGUAGES, strings
from vitrine.site.pages.wording import Wording, choose_language, choose_wording
from vitrine.store.site_layout import page_path, value_page_key
from vitrine.text.plain_texts import ManyTexts, plain_texts
from vitrine.text.slugs import make_slug

PART_OF = "part-of"
"""Slug of the facet of collections, whose own pages are its lists."""
DECADE = "decade"
"""Slug of the facet of decades, by the dates that objects have on a timeline."""
PLACE = "place-on-the-map"
"""Slug of the facet of places, of the objects that are on the map."""
MAX_FACETS = 100
"""Values of one object by which it is listed."""
Slugs = tuple[str, str]
PLACE_LABELS = {language: strings(language)["place"] for language in LANGUAGES}
_DECADE_LABELS = {language: strings(language)["decade"] for language in LANGUAGES}


class FacetValue(msgspec.Struct, frozen=True, array_like=True):
    """A value by which objects are listed, and the label of its line of metadata."""

    facet: dict[str, str]
    value: dict[str, str]

    @property
    def slugs(self) -> Slugs:
        """Return the two parts of the address of its list."""
        facet, value = (next(iter(texts.values())) for texts in (self.facet, self.value))
        return make_slug(facet), make_slug(value)


def find_decade(nav_date: str) -> FacetValue | None:
    """Return the decade of a date (RFC 3339) as objects are listed by it; None of no date."""
    if not nav_date[:4].isdecimal():
        return None
    first = int(nav_date[:4]) // 10 * 10
    value = {"en": f"{first}s", "de": f"{first}er", "fr": f"années {first}"}
    return FacetValue(_DECADE_LABELS, value)


def list_facet_values(lines: Iterable[tuple[ManyTexts, ManyTexts]]) -> Iterator[FacetValue | None]:
    """Yield what each value of these lines of metadata is listed by, None for one that is empty.

    A line has a label and values; translations of a value are at the same place.
    """
    for label, values in lines:
        facet = first_texts(label)
        first: Sequence[str] = next(iter(values.values()), ())
        spoken = {one: texts for one, texts in values.items() if len(texts) == len(first)}
        for place in range(len(first)):
            value = first_texts({one: [texts[place]] for one, texts in spoken.items()})
            yield FacetValue(facet, value) if facet and value else None


def pair_with_lists(
    statements: Sequence[Statement], language: str, suffix: str
) -> list[tuple[Wording, Wording]]:
    """Return label and value of each line for a page; values of facets lead to their lists.

    `suffix` is what keys have of the page's language.
    """
    left, pairs = MAX_FACETS, []
    for one in statements:
        value = choose_wording(one.value, language)
        if one.facet:
            listed = list(list_facet_values([(one.label, one.value)]))
            value = _lead_to_lists(value, one.value, listed[: max(0, left)], language, suffix)
            left -= sum(found is not None for found in listed)
        pairs.append((choose_wording(one.label, language), value))
    return pairs


def _lead_to_lists(
    wording: Wording,
    texts: Texts,
    listed: Sequence[FacetValue | None],
    language: str,
    suffix: str,
) -> Wording:
    chosen = texts[choose_language(texts, language)] if texts else ()
    if len(chosen) != len(listed):
        return wording  # no translation, value by value, of what it is listed by
    paths = tuple(
        page_path(value_page_key(*found.slugs, language=suffix)) if found else ""
        for text, found in zip(chosen, listed, strict=True)
        if text
    )
    return replace(wording, paths=paths)


def first_texts(texts: ManyTexts) -> dict[str, str]:
    """Return the first text of each language, without markup."""
    found: dict[str, str] = {}
    for language, text in plain_texts(texts):
        found.setdefault(language, text)
    return found
