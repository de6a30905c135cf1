"""How much a first look at the map and the timeline of 100,000 objects loads: prints the bytes."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.identify.redirects.bulk import Workers
from vitrine.local.site_bundle import open_site_files
from vitrine.search.titles.files import IndexFiles
from vitrine.search.titles.index import TitleIndex
from vitrine.search.titles.map_cells import MAX_CELLS, describe_cell, find_cell
from vitrine.search.titles.rows import Row
from vitrine.site.pages.cards import Card
from vitrine.site.pages.facet_values import PLACE, PLACE_LABELS, FacetValue, find_decade
from vitrine.site.pages.stored_theme import load_theme
from vitrine.site.static_files import publish_site
from vitrine.store.site_layout import page_path

BASE = "http://museum.test"
OBJECTS, MAKERS = 100_000, 1_000
MAX_BYTES = 300_000
"""Bytes of the bodies, compressed by gzip; the edge makes fewer of them by Brotli."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All that is published, by the paths of its addresses."""
    store = MemoryObjectStore()
    with Workers() as workers, TitleIndex(tmp_path_factory.mktemp("index")) as index:
        for row in make_rows():
            index.add(row)
        files = IndexFiles(index, load_theme(store), BASE)
        files.write(store, workers, {}, {}, (), lambda: None)
    with open_site_files() as ours:
        publish_site(store, ours.site, ours.viewer, ours.others, "", BASE)
    page = store.list_keys("")
    found = {}
    while True:
        found |= {page_path(one.key): store.get(one.key)[0] for one in page.entries}
        if not page.next:
            return found
        page = store.list_keys(page.next)


def make_rows() -> Iterator[Row]:
    """Objects of ten centuries from everywhere: the map has as many cells as it may have."""
    chance = random.Random(1)
    for number in range(OBJECTS):
        decade = find_decade(f"{chance.randint(1000, 1999)}")
        assert decade
        maker = {"en": f"Maker {chance.randrange(MAKERS)}"}
        cell = find_cell(chance.uniform(-180, 180), chance.uniform(-60, 75))
        yield Row(
            identifier=f"object-{number}",
            version="1",
            number=number,
            card=Card(
                "manifest", f"object-{number}", {"en": f"A landscape {number}"}, "", "", 0, 0
            ),
            words=[(f"landscape{number % 5_000}", f"landscape{number % 5_000}", 1)],
            facets=[
                decade,
                FacetValue({"en": "Maker"}, maker),
                FacetValue(PLACE_LABELS, describe_cell(cell)),
            ],
            cell=cell,
        )


@pytest.mark.parametrize("path", ["/map", "/browse", f"/browse/{PLACE}"])
def test_a_first_look_at_many_objects_is_small(
    browser: Browser, site: dict[str, bytes], path: str
) -> None:
    loaded: dict[str, int] = {}

    def answer(route: Route) -> None:
        here = route.request.url.removeprefix(BASE).partition("?")[0]
        body = site.get(here)
        if body is None:
            loaded[here] = -1
            route.fulfill(status=404)
            return
        loaded[here] = len(gzip.compress(body, 6))
        suffix = Path(here).suffix
        kind = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
        route.fulfill(body=body, content_type=kind.get(suffix, "text/html"))

    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.route(f"{BASE}/**", answer)
    page.goto(BASE + path)
    page.wait_for_load_state("networkidle")
    print(f"\n{path}: {sum(loaded.values()):,} bytes of {OBJECTS:,} objects: {loaded}")
    assert min(loaded.values()) > 0, loaded
    assert sum(loaded.values()) <= MAX_BYTES
    if path == "/map":
        assert page.locator("[data-map] g[role=button]").count() > 20
        assert site["/search/index/places.json"].count(b":") > MAX_CELLS
    page.close()
