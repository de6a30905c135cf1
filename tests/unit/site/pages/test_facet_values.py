"""What an object's page says of facets leads to the lists that the search makes of them."""

import re

import pytest

from tests.unit.catalogue.object_bench import book
from tests.unit.search.titles.search_bench import SearchBench, print_
from vitrine.iiif.presentation.model import Statement

LINK = re.compile(r"<dd>.*?</dd>", re.DOTALL)


@pytest.fixture
def bench() -> SearchBench:
    return SearchBench()


def links(bench: SearchBench, key: str) -> list[tuple[str, str]]:
    shown = "".join(LINK.findall(bench.page(key)))
    return re.findall(r'<a href="(/browse/[^"]*)">(.*?)</a>', shown)


def test_every_link_leads_to_a_list_with_the_object(bench: SearchBench) -> None:
    bench.objects.put(print_("11", "Night watch", maker="Rembrandt;Anna Dürer", year="1642"))
    bench.update()
    found = links(bench, "objects/11")
    assert found == [
        ("/browse/maker/rembrandt", "Rembrandt"),
        ("/browse/maker/anna-durer", "Anna Dürer"),
        ("/browse/year/1642", "1642"),
    ]
    for path, _ in found:
        assert "Night watch" in bench.page(path.removeprefix("/"))


def test_a_line_that_is_no_facet_leads_nowhere(bench: SearchBench) -> None:
    line = Statement(label={"en": ("Maker",)}, value={"en": ("Rembrandt",)})
    bench.objects.put(book("11", metadata=(line,)))
    assert links(bench, "objects/11") == []


def test_a_translated_value_leads_to_the_list_in_the_page_s_language(bench: SearchBench) -> None:
    bench.speak("en", "de")
    line = Statement(
        label={"en": ("Material",), "de": ("Werkstoff",)},
        value={"en": ("oil", "", "wood"), "de": ("Öl", "", "Holz")},
        facet=True,
    )
    bench.objects.put(book("11", metadata=(line,)))
    bench.update()
    assert links(bench, "objects/11/de") == [
        ("/browse/material/oil/de", "Öl"),
        ("/browse/material/wood/de", "Holz"),
    ]
    for path, _ in links(bench, "objects/11/de"):
        assert "A book" in bench.page(path.removeprefix("/"))


def test_a_value_that_is_html_with_a_link_of_its_own_has_no_other(bench: SearchBench) -> None:
    value = '<a href="https://example.org/">Rembrandt</a>'
    line = Statement(label={"en": ("Maker",)}, value={"en": (value,)}, facet=True)
    bench.objects.put(book("11", metadata=(line,)))
    assert links(bench, "objects/11") == []
    assert 'href="https://example.org/"' in bench.page("objects/11")


def test_a_translation_with_fewer_values_leads_nowhere(bench: SearchBench) -> None:
    bench.speak("en", "de")
    line = Statement(
        label={"en": ("Material",)},
        value={"en": ("oil", "wood"), "de": ("Öl auf Holz",)},
        facet=True,
    )
    bench.objects.put(book("11", metadata=(line,)))
    assert links(bench, "objects/11/de") == []
    assert len(links(bench, "objects/11")) == 2
