"""Crawlers find the lists of facets, as many as there are."""

import re
from xml.etree import ElementTree

import pytest

from tests.unit.catalogue.object_bench import BASE
from tests.unit.search.titles.search_bench import SearchBench, print_
from vitrine.search.titles import sitemap

LOCATIONS = ".//{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture
def bench() -> SearchBench:
    bench = SearchBench()
    bench.objects.put(print_("11", "Night watch", maker="Rembrandt;Anna Dürer & Co"))
    return bench


def locations(bench: SearchBench, key: str) -> list[str]:
    found = ElementTree.fromstring(bench.site.get(key)[0]).iterfind(LOCATIONS)
    return [str(one.text).removeprefix(BASE) for one in found]


def test_each_list_is_in_the_sitemap_and_answers(bench: SearchBench) -> None:
    bench.update()
    assert locations(bench, "browse/sitemap.xml") == ["/browse/sitemap-1.xml"]
    listed = locations(bench, "browse/sitemap-1.xml")
    assert listed == ["/browse/maker", "/browse/maker/anna-durer-co", "/browse/maker/rembrandt"]
    for path in listed:
        assert "<h1>" in bench.page(path.removeprefix("/"))


def test_a_site_without_facets_has_an_empty_sitemap(bench: SearchBench) -> None:
    bench.objects.put(print_("11", "Night watch"))
    bench.update()
    assert locations(bench, "browse/sitemap.xml") == []


def test_many_lists_are_in_several_sitemaps_and_those_not_needed_any_more_are_emptied(
    bench: SearchBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap, "URLS", 2)
    bench.update()
    assert len(locations(bench, "browse/sitemap.xml")) == 2
    assert locations(bench, "browse/sitemap-2.xml") == ["/browse/maker/rembrandt"]
    bench.objects.put(print_("11", "Night watch", maker="Rembrandt"))
    bench.update()
    assert locations(bench, "browse/sitemap.xml") == ["/browse/sitemap-1.xml"]
    assert locations(bench, "browse/sitemap-2.xml") == []


def test_each_page_of_a_list_is_canonical_for_itself(
    bench: SearchBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.site.pages.browse_page.OBJECTS", 1)
    bench.objects.put(print_("12", "Day watch", maker="Rembrandt"))
    bench.update()
    for key in ("browse/maker/rembrandt", "browse/maker/rembrandt/2"):
        page = bench.page(key)
        assert re.findall(r'<link rel="canonical" href="([^"]+)">', page) == [f"{BASE}/{key}"]
    assert '<link rel="next" href="/browse/maker/rembrandt/2">' in bench.page(
        "browse/maker/rembrandt"
    )
