"""The lists of facets: all of them, the values of one with how many objects have each, and the
objects of a value.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vitrine.site.pages.absent_page import write_dropped_pages
from vitrine.site.pages.cards import Card, Labels, choose_label, show_card
from vitrine.site.pages.facet_values import DECADE, PLACE
from vitrine.site.pages.frame import Sharing
from vitrine.site.pages.page_files import PageFile
from vitrine.site.pages.rendering import render
from vitrine.site.pages.strings import strings, write_number
from vitrine.site.pages.theme import Theme
from vitrine.site.pages.wording import Wording
from vitrine.store.site_layout import (
    MAP_PAGE,
    SEARCH_PAGE,
    browse_page_key,
    facet_page_key,
    page_path,
    static_page_key,
    value_page_key,
)

FREQUENT = 16
"""Values of a facet on the page that lists all facets."""
MAX_BARS = 120
"""Decades of a timeline that are drawn, those without objects included."""
VALUES = 500
"""Values of a facet on one page."""
OBJECTS = 100
"""Objects of a value on one page."""


@dataclass(frozen=True)
class Facet:
    """A line of metadata by which objects are listed."""

    slug: str
    labels: Labels


@dataclass(frozen=True)
class Value:
    """A value of a facet, and how many objects have it."""

    slug: str
    labels: Labels
    count: int


@dataclass(frozen=True)
class Bar:
    """A decade on the timeline; without a path, it has no object."""

    label: Wording
    path: str
    count: str
    height: int
    """Percent of the highest bar."""


FacetWithValues = tuple[Facet, Sequence[Value]]


@dataclass(frozen=True)
class Browsing:
    """What all these pages share."""

    theme: Theme
    base: str
    """Scheme and host."""

    def write_index(self, facets: Sequence[FacetWithValues]) -> list[PageFile]:
        """Return the page that lists all facets, with the most frequent values of each."""
        paths = {one: page_path(browse_page_key(self._suffix(one))) for one in self.theme.languages}
        pages = [
            PageFile(
                browse_page_key(self._suffix(language)),
                render(
                    "browse.html",
                    theme=self.theme,
                    language=language,
                    base=self.base,
                    path=paths[language],
                    others=paths,
                    facets=[self._list_facet(facet, values, language) for facet, values in facets],
                    map=page_path(static_page_key(MAP_PAGE, self._suffix(language)))
                    if any(facet.slug == PLACE for facet, _ in facets)
                    else "",
                    sharing=Sharing(title=strings(language)["browse"], description=self.theme.name),
                ),
            )
            for language in self.theme.languages
        ]
        first = page_path(browse_page_key())
        return pages + write_dropped_pages(browse_page_key, first, self.theme, self.base)

    def _list_facet(self, facet: Facet, values: Sequence[Value], language: str) -> dict[str, Any]:
        suffix = self._suffix(language)
        rows = [self._row(facet, one, language) for one in values[:FREQUENT]]
        is_timeline = facet.slug == DECADE
        return {
            "label": choose_label(facet.labels, language),
            "path": page_path(facet_page_key(facet.slug, language=suffix)),
            "rows": [] if is_timeline else rows,
            "bars": self._bars(facet, values, language) if is_timeline else [],
            "has_more": len(values) > FREQUENT and not is_timeline,
        }

    def _bars(self, facet: Facet, values: Sequence[Value], language: str) -> list[Bar]:
        """Return a bar for each decade from the first to the last, also for those without objects.

        Of more than MAX_BARS, those without objects are left out.
        """
        by_year = {_first_year(one): one for one in values}
        years = sorted(by_year)
        between = range(years[0], years[-1] + 1, 10)
        most = max(one.count for one in values)
        bars = []
        for year in between if len(between) <= MAX_BARS else years:
            label, path, count = Wording(), "", ""
            if year in by_year:
                label, path, count = self._row(facet, by_year[year], language)
            height = -(-100 * by_year[year].count // most) if year in by_year else 0
            bars.append(Bar(label, path, count, height))
        return bars

    def _row(self, facet: Facet, value: Value, language: str) -> tuple[Wording, str, str]:
        """Return what a list of values shows of one: its name, its path, and how many have it."""
        return (
            choose_label(value.labels, language),
            page_path(value_page_key(facet.slug, value.slug, 1, self._suffix(language))),
            write_number(value.count, language),
        )

    def write_facet(self, facet: Facet, values: Sequence[Value]) -> Iterator[PageFile]:
        """Yield the pages of a facet in each language; `values` are in their order."""
        for language in self.theme.languages:
            rows = [self._row(facet, one, language) for one in values]

            def key(number: int, of: str = language) -> str:
                return facet_page_key(facet.slug, number, self._suffix(of))

            yield from self._pages(
                "facet.html",
                language,
                key,
                rows,
                VALUES,
                title=choose_label(facet.labels, language),
                trail=self._trail(language),
            )

    def write_value(
        self, facet: Facet, value: Value, cards: Callable[[int, int], list[Card]]
    ) -> Iterator[PageFile]:
        """Yield the pages of a value in each language.

        `cards` returns those from a place on, before another place.
        """
        for number in range(1, _count_pages(value.count, OBJECTS) + 1):
            shown = cards((number - 1) * OBJECTS, number * OBJECTS)
            for language in self.theme.languages:
                yield self._write_objects(facet, value, number, shown, language)

    def write_empty(self, key: str, language: str) -> PageFile:
        """Return what replaces a page that has nothing to list any more."""
        body = render(
            "absent.html",
            theme=self.theme,
            language=language,
            base=self.base,
            state="nothing_listed",
            reason="",
            target="",
            is_framed=False,
        )
        return PageFile(key, body)

    def _write_objects(
        self, facet: Facet, value: Value, number: int, shown: Sequence[Card], language: str
    ) -> PageFile:
        def key(page: int, of: str = language) -> str:
            return value_page_key(facet.slug, value.slug, page, self._suffix(of))

        label = choose_label(facet.labels, language)
        facet_path = page_path(facet_page_key(facet.slug, language=self._suffix(language)))
        t = strings(language)
        return self._page(
            "value.html",
            language,
            key,
            number,
            _count_pages(value.count, OBJECTS),
            title=choose_label(value.labels, language),
            facet=label,
            trail=[*self._trail(language), (label, facet_path)],
            within=f"{page_path(self._search_key(language))}?in={facet.slug}:{value.slug}",
            entries=[show_card(one, language, self._suffix(language)) for one in shown],
            first=(number - 1) * OBJECTS + 1,
            # Later pages name no total: one object more would change them all.
            count=t["object_one"]
            if value.count == 1
            else t["object_many"].format(count=write_number(value.count, language)),
        )

    def _pages(
        self,
        template: str,
        language: str,
        key: Callable[..., str],
        rows: Sequence[object],
        most: int,
        **values: Any,
    ) -> Iterator[PageFile]:
        pages = _count_pages(len(rows), most)
        for number in range(1, pages + 1):
            part = rows[(number - 1) * most : number * most]
            yield self._page(template, language, key, number, pages, rows=part, **values)

    def _page(
        self,
        template: str,
        language: str,
        key: Callable[..., str],
        number: int,
        pages: int,
        *,
        title: Wording,
        **values: Any,
    ) -> PageFile:
        def path(page: int, of: str = language) -> str:
            return page_path(key(page, of))

        body = render(
            template,
            theme=self.theme,
            language=language,
            base=self.base,
            path=path(number),
            others={one: path(number, one) for one in self.theme.languages},
            page_number=number,
            previous=path(number - 1) if number > 1 else "",
            next=path(number + 1) if number < pages else "",
            title=title,
            sharing=Sharing(title=title.plain, description=f"{title.plain} · {self.theme.name}"),
            **values,
        )
        return PageFile(key(number), body)

    def _trail(self, language: str) -> list[tuple[Wording, str]]:
        name = Wording((strings(language)["browse"],))
        return [(name, page_path(browse_page_key(self._suffix(language))))]

    def _search_key(self, language: str) -> str:
        return static_page_key(SEARCH_PAGE, self._suffix(language))

    def _suffix(self, language: str) -> str:
        return "" if language == self.theme.language else language


def _first_year(decade: Value) -> int:
    return int("".join(filter(str.isdecimal, decade.slug)) or 0)


def _count_pages(rows: int, most: int) -> int:
    return max(1, -(-rows // most))
