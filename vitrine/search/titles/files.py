"""The files of search and facets while they are written: those whose digests differ."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path

import msgspec

from vitrine.identify.redirects.bulk import Workers
from vitrine.ports import ObjectStore, VersionedStore
from vitrine.search.titles.index import TitleIndex
from vitrine.search.titles.sitemap import is_sitemap, write_emptied_sitemap, write_sitemaps
from vitrine.site.pages import browse_page
from vitrine.site.pages.browse_page import Browsing, Facet, FacetWithValues, Value
from vitrine.site.pages.cards import Card
from vitrine.site.pages.facet_values import PLACE
from vitrine.site.pages.map_page import write_map_pages
from vitrine.site.pages.page_files import JSON, PageFile
from vitrine.site.pages.page_writer import CACHE
from vitrine.site.pages.search_page import write_search_pages
from vitrine.site.pages.stored_facets import DIRECTORY
from vitrine.site.pages.theme import Theme
from vitrine.store.revisions import list_entries
from vitrine.store.site_layout import (
    BROWSE_PAGES,
    SEARCH_INDEX,
    facet_page_key,
    page_path,
    value_page_key,
)
from vitrine.text.folding import fold_text

DIGITS = 12
_NUMBER = re.compile("[0-9]+")
Slugs = tuple[str, str]
_PAGES = Path(browse_page.__file__).parent


def describe_look(theme: Theme, base: str) -> str:
    """Return a digest of what pages are made with, but for what they list."""
    sources = [*_PAGES.glob("templates/*.html"), *_PAGES.glob("strings/*.toml")]
    parts = [msgspec.json.encode(theme), base.encode()]
    parts += [path.read_bytes() for path in sorted(sources)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:DIGITS]


def list_written(site: VersionedStore) -> Iterator[str]:
    """Yield the keys of the files that updates ever wrote, whether or not one noted them."""
    for folder in (SEARCH_INDEX, BROWSE_PAGES):
        for entry in list_entries(site, folder):
            if not entry.deleted:
                yield entry.key


class IndexFiles:
    """Makes the files of an index, and the pages that list what is in it."""

    def __init__(self, index: TitleIndex, theme: Theme, base: str) -> None:
        self._index = index
        self._theme = theme
        self._base = base
        self._browsing = Browsing(theme, base)

    def write(
        self,
        store: ObjectStore,
        workers: Workers,
        kept: Mapping[str, str],
        known: Mapping[str, str],
        touched: Collection[Slugs] | None,
        before_each: Callable[[], None],
    ) -> tuple[dict[str, str], int]:
        """Write files whose digests are not those in `kept`; return all digests, and how many.

        `known` has all files that were ever written: those that are not made any more are emptied.
        Of the lists of facets only those that are `touched` are made, None for all. Raises
        TransientError.
        """
        digests: dict[str, str] = {}

        def differing(files: Iterator[PageFile]) -> Iterator[PageFile]:
            for file in files:
                before_each()
                if file.is_replacement and file.key not in known:
                    continue
                digest = hashlib.sha256(file.body).hexdigest()[:DIGITS]
                digests[file.key] = digest
                if kept.get(file.key) != digest:
                    yield file

        def put(file: PageFile) -> int:
            store.put(file.key, file.body, content_type=file.content_type, cache_control=CACHE)
            return 1

        def write(files: Iterator[PageFile]) -> int:
            return sum(workers.map(put, differing(files)))

        directory: list[PageFile] = []
        written = write(chain(self._index_files(directory), self.make_pages(touched)))
        for key, digest in known.items():
            if touched is not None and key not in digests and not self._is_made(key, touched):
                digests[key] = digest
        written += write(self._emptied(known.keys() - digests.keys() - {DIRECTORY}))
        # What it names is there now.
        return digests, written + write(iter(directory))

    def _index_files(self, directory: list[PageFile]) -> Iterator[PageFile]:
        """Yield all files but the directory, which is added to a list."""
        for key, body in self._index.files():
            file = PageFile(key, body, JSON)
            if key == DIRECTORY:
                directory.append(file)
            else:
                yield file

    def _is_made(self, key: str, touched: Collection[Slugs]) -> bool:
        """Return whether a file would have been made now if there were anything in it."""
        slugs = _slugs_of(key)
        return slugs is None or slugs in touched or slugs[1] == ""

    def make_pages(self, touched: Collection[Slugs] | None) -> Iterator[PageFile]:
        """Yield search page and map, the pages of all facets, and those of values as in `write`.

        Then the sitemaps of them all.
        """
        index = self._index
        facets = [Facet(slug, index.facet_labels[slug]) for slug in sorted(index.facets)]
        yield from write_search_pages(self._theme, self._base)
        yield from write_map_pages(self._theme, self._base, has_places=PLACE in index.facets)
        frequent: list[FacetWithValues] = []
        paths: list[str] = []
        for facet in facets:
            values = [
                Value(slug, labels, index.count_objects(facet.slug, slug))
                for slug, labels in index.facets[facet.slug].items()
            ]
            frequent.append((facet, sorted(values, key=lambda one: (-one.count, one.slug))))
            values.sort(key=_alphabetical)
            yield from self._browsing.write_facet(facet, values)
            paths.append(page_path(facet_page_key(facet.slug)))
            paths += (page_path(value_page_key(facet.slug, value.slug)) for value in values)
            for value in values:
                if touched is None or (facet.slug, value.slug) in touched:
                    yield from self._value_pages(facet, value)
        yield from self._browsing.write_index(frequent)
        yield from write_sitemaps(paths, self._base)

    def _value_pages(self, facet: Facet, value: Value) -> Iterator[PageFile]:
        numbers = self._index.objects_of(facet.slug, value.slug)

        def cards(first: int, last: int) -> list[Card]:
            return [self._index.card(number) for number in numbers[first:last]]

        return self._browsing.write_value(facet, value, cards)

    def _emptied(self, keys: Collection[str]) -> Iterator[PageFile]:
        for key in sorted(keys):
            if is_sitemap(key):
                yield write_emptied_sitemap(key)
            elif not key.startswith(SEARCH_INDEX):
                language = next(
                    (one for one in key.split("/")[3:] if one in self._theme.languages),
                    self._theme.language,
                )
                yield self._browsing.write_empty(key, language)
            else:
                yield PageFile(key, b"{}", JSON)


def _alphabetical(value: Value) -> tuple[str, str]:
    label = fold_text(next(iter(value.labels.values())))
    return _NUMBER.sub(lambda digits: digits[0].zfill(DIGITS), label), value.slug


def _slugs_of(key: str) -> Slugs | None:
    """Return the slugs of a list's page; those of a facet's own pages have no value."""
    if not key.startswith(BROWSE_PAGES):
        return None
    facet, value, *_ = [*key.removeprefix(BROWSE_PAGES).split("/"), ""]
    return facet, "" if value == "_" else value
