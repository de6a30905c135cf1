"""The script of the search finds in the index what was published, the best first."""

from pathlib import Path

from tests.unit.search.titles.page_script import search
from tests.unit.search.titles.search_bench import SearchBench, print_


def test_titles_count_more_than_texts_and_all_words_have_to_occur(tmp_path: Path) -> None:
    bench = SearchBench()
    bench.objects.put(print_("in-text", "Sea of ice and of fog", maker="Harbour Company"))
    bench.objects.put(print_("in-long", "Harbour in the fog of a morning", maker="Nobody"))
    bench.objects.put(print_("in-short", "The harbour", maker="Nobody"))
    bench.objects.put(print_("begins", "Harbourmaster", maker="Nobody"))
    words, both, filtered, listed, none = search(
        bench,
        tmp_path,
        ("harbour", []),
        ("fog harbours", []),
        ("harbour", [("maker", "nobody")]),
        ("", [("maker", "nobody")]),
        ("harbour", [("maker", "nobody-else")]),
    )
    assert [one for one in words if one != "begins"] == ["in-short", "in-long", "in-text"]
    assert "begins" in words
    assert both == []  # a form of a word that no text has
    assert [one for one in filtered if one != "begins"] == ["in-short", "in-long"]
    assert (sorted(listed), none) == (["begins", "in-long", "in-short"], [])


def test_of_equals_the_older_object_is_first(tmp_path: Path) -> None:
    bench = SearchBench()
    for name in ("third", "first", "second"):
        bench.objects.put(print_(name, f"Print, the {name}", maker="Somebody"))
        bench.update()
    (found,) = search(bench, tmp_path, ("print", []))
    assert found == ["third", "first", "second"]
